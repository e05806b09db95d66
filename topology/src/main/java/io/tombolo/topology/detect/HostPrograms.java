// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * This host's files, and what vendors' programs print here. A program costs up to a few seconds:
 * for people who look at a host, not for every rank of a job.
 */
public final class HostPrograms implements SystemFiles {
  private static final int LIMIT_SECONDS = 10;
  private static final int MAX_BYTES = 1 << 20;

  private final SystemFiles files = LiveFiles.ofThisHost();

  /** For the thread that looks. */
  public HostPrograms() {}

  @Override
  public Optional<String> output(String command) {
    try {
      Path out = Files.createTempFile("tombolo-", ".out");
      try {
        return run(ImmutableList.copyOf(command.split(" ", -1)), out);
      } finally {
        Files.deleteIfExists(out);
      }
    } catch (IOException e) {
      return Optional.empty(); // there is no such program, which is the usual case
    }
  }

  private static Optional<String> run(List<String> command, Path out) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(Redirect.DISCARD)
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    try {
      boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
      boolean good = ended && process.exitValue() == 0 && Files.size(out) <= MAX_BYTES;
      return good ? Optional.of(Files.readString(out, UTF_8).strip()) : Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      process.destroyForcibly();
    }
  }

  @Override
  public Optional<String> read(String path) {
    return files.read(path);
  }

  @Override
  public List<String> list(String path) {
    return files.list(path);
  }

  @Override
  public Optional<String> resolve(String path) {
    return files.resolve(path);
  }

  @Override
  public Optional<String> readLink(String path) {
    return files.readLink(path);
  }
}
