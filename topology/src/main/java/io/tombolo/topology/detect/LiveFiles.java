// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The files below a folder: {@code /} for the running system, or a copy of one. */
public final class LiveFiles implements SystemFiles {
  /** Attributes are a page at most; /proc/cpuinfo of a large host is the longest file here. */
  private static final int MAX_BYTES = 4 << 20;

  private final Path root;

  /** The system whose root folder is {@code root}. */
  public LiveFiles(Path root) {
    this.root = root;
  }

  /** The system that this process runs on. */
  public static LiveFiles ofThisHost() {
    return new LiveFiles(Path.of("/"));
  }

  @Override
  public Optional<String> read(String path) {
    try (InputStream in = Files.newInputStream(at(path))) {
      return Optional.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      // Some attributes exist and refuse to be read (speed of an interface that is down).
      return Optional.empty();
    }
  }

  @Override
  public List<String> list(String path) {
    try (Stream<Path> entries = Files.list(at(path))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public Optional<String> resolve(String path) {
    try {
      Path real = root.toRealPath().relativize(at(path).toRealPath());
      return Optional.of("/" + real);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<String> readLink(String path) {
    try {
      return Optional.of(Files.readSymbolicLink(at(path)).toString());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Path at(String path) {
    return root.resolve(path.substring(1));
  }
}
