// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import java.util.List;
import java.util.Optional;

/** The files that a system describes itself with, by absolute path. What is missing is empty. */
public interface SystemFiles {

  /** A file's text without white space at its ends; empty too if it cannot be read. */
  Optional<String> read(String path);

  /** The names in a folder, sorted. */
  List<String> list(String path);

  /** Where a symbolic link leads in the end, as an absolute path of this system. */
  Optional<String> resolve(String path);

  /**
   * What a vendor's program prints, such as {@code nvidia-smi topo -m}; empty where it is not
   * there, fails or takes long, and where programs are not asked.
   */
  default Optional<String> output(String command) {
    return Optional.empty();
  }

  /** What a symbolic link says, unresolved. */
  Optional<String> readLink(String path);
}
