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
 * the memory with the last process, however that ends.
 */
final class NamedSegments {
  private static final Path FOLDER = Path.of("/dev/shm");

  private NamedSegments() {}

  /** Removes the names that begin with this process's id and a colon, as libfabric's do. */
  static void forgetOwn() {
    String pattern = ProcessHandle.current().pid() + ":*";
    try (DirectoryStream<Path> segments = Files.newDirectoryStream(FOLDER, pattern)) {
      for (Path segment : segments) {
        Files.deleteIfExists(segment);
      }
    } catch (IOException e) {
      throw new ResourceException(
          "cannot remove " + FOLDER.resolve(pattern) + ": " + e.getMessage(), e);
    }
  }
}
