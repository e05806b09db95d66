// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.base.errors.ResourceException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Shared memory that a library creates under a name, and would leave behind if its process were
 * killed.
 *
 * <p>Once all members have mapped it nobody needs the name any more. Without it the system frees
 * the memory with the last process, however that ends. A process that died before it came to that
 * is cleaned up after by its launcher.
 */
public final class NamedSegments {
  private static final Path FOLDER = Path.of("/dev/shm");

  /** How libfabric's shm provider names a segment of a process. */
  private static final String NAME = "%s:[0-9]*:[0-9]*";

  private NamedSegments() {}

  /** Removes the names of process {@code pid}'s segments; returns how many there were. */
  public static int forget(long pid) {
    return forget(pid, FOLDER);
  }

  static int forget(long pid, Path folder) {
    int forgotten = 0;
    try (DirectoryStream<Path> segments = Files.newDirectoryStream(folder, NAME.formatted(pid))) {
      for (Path segment : segments) {
        forgotten += Files.deleteIfExists(segment) ? 1 : 0;
      }
    } catch (IOException e) {
      throw new ResourceException(
          "cannot remove " + folder.resolve(NAME.formatted(pid)) + ": " + e.getMessage(), e);
    }
    return forgotten;
  }
}
