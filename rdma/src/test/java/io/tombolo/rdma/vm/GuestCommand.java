// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.vm;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of the guest, running; its output is at hand when it has ended. */
final class GuestCommand implements AutoCloseable {
  /** Generous: the guest is up to 30 times slower than its host, and the host is busy. */
  private static final int LIMIT_SECONDS = 90;

  private final List<String> command;
  private final Path output;
  private final Process process;

  private GuestCommand(List<String> command) throws IOException {
    this.command = command;
    this.output = Files.createTempFile("guest", ".log");
    this.process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
  }

  static GuestCommand start(String... command) throws IOException {
    return new GuestCommand(List.of(command));
  }

  /** Runs a program to its end and returns its output; fails unless its status is 0. */
  static String run(String... command) throws IOException, InterruptedException {
    try (GuestCommand started = start(command)) {
      return started.awaitSuccess();
    }
  }

  /** Its output, once it has ended; fails unless its status is 0. */
  String awaitSuccess() throws IOException, InterruptedException {
    boolean isDone = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
    String text = Files.readString(output, UTF_8);
    if (!isDone || process.exitValue() != 0) {
      String end = isDone ? "status " + process.exitValue() : "not done in " + LIMIT_SECONDS + " s";
      throw new AssertionError(String.join(" ", command) + ": " + end + ":\n" + text);
    }
    return text;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    process.destroyForcibly().waitFor();
    Files.delete(output);
  }
}
