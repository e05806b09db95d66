// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import io.tombolo.topology.io.TopologyFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The machines and documents that tests read. */
public final class Recorded {
  private Recorded() {}

  /** A text beside the tests, by its path below io/tombolo/topology. */
  public static String text(String path) {
    try (InputStream in = Recorded.class.getResourceAsStream(path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The topology in such a text. */
  public static Topology topology(String path) {
    return TopologyFile.parse(text(path), path);
  }
}
