// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy of its library that jucx leaves in the temporary folder until the JVM ends, and for ever
 * if that is killed. It is not needed once it is loaded.
 */
final class JucxFile {
  private static final Logger log = LoggerFactory.getLogger(JucxFile.class);
  private static final Path MAPS = Path.of("/proc/self/maps");
  private static final Pattern MAPPED =
      Pattern.compile(".* (/.*/jucx[0-9]+/libjucx_[a-z0-9_]+\\.so)");

  private JucxFile() {}

  /** Deletes the copy that this process has loaded, and its folder. */
  static void forget() {
    try (Stream<String> lines = Files.lines(MAPS)) {
      Optional<Path> file = lines.flatMap(line -> mapped(line).stream()).findFirst();
      if (file.isPresent()) {
        Files.deleteIfExists(file.get());
        Files.deleteIfExists(file.get().getParent());
      }
    } catch (IOException e) {
      log.debug("the copy of jucx's library stays until the end: {}", e.toString());
    }
  }

  /** The copy that a line of a process's memory map names. */
  static Optional<Path> mapped(String line) {
    Matcher path = MAPPED.matcher(line);
    return path.matches() ? Optional.of(Path.of(path.group(1))) : Optional.empty();
  }
}
