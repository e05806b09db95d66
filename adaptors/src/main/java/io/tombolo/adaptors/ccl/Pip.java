// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.UnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Python's package installer, as a process.
 *
 * @param python the interpreter that has it
 */
record Pip(String python) {
  private static final int MAX_MINUTES = 20;

  /**
   * The first interpreter that has pip; an {@link UnavailableException} says what to install if
   * none has.
   */
  static Pip find() {
    return Stream.of("python3", "python")
        .filter(python -> succeeds(List.of(python, "-m", "pip", "--version")))
        .findFirst()
        .map(Pip::new)
        .orElseThrow(
            () ->
                new UnavailableException(
                    "oneCCL comes by way of pip, and neither python3 nor python has it here; install it "
                        + "(Debian, Ubuntu: apt-get install python3-pip), or copy the library's files from another "
                        + "machine and set "
                        + OneCclFolder.VARIABLE));
  }

  /**
   * Downloads exactly what {@code requirements} pins into {@code folder}.
   *
   * @param progress told each file with its size as its download begins
   */
  void download(Path requirements, Path folder, Consumer<String> progress) {
    List<String> said = new ArrayList<>();
    int status =
        run(
            List.of(
                python,
                "-m",
                "pip",
                "download",
                "--disable-pip-version-check",
                "--no-input",
                "--progress-bar",
                "off",
                "--no-deps",
                "--only-binary=:all:",
                "--require-hashes",
                "--dest",
                folder.toString(),
                "--requirement",
                requirements.toString()),
            line -> {
              said.add(line.strip());
              if (line.startsWith("Downloading ")) {
                progress.accept(line.strip());
              }
            });
    if (status != 0) {
      throw new UnavailableException(
          "pip could not download oneCCL (status "
              + status
              + "): "
              + lastOf(said)
              + "; check the network and pip's settings (proxy, index), on x86-64 with glibc 2.28 or newer, or copy the"
              + " library's files from another machine and set "
              + OneCclFolder.VARIABLE);
    }
  }

  private static String lastOf(List<String> lines) {
    return String.join(" | ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
  }

  private static boolean succeeds(List<String> command) {
    try {
      return run(command, line -> {}) == 0;
    } catch (UnavailableException e) {
      return false; // no such program
    }
  }

  /** The exit status; a process that takes too long is killed, and so fails. */
  private static int run(List<String> command, Consumer<String> lines) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      Executor later = CompletableFuture.delayedExecutor(MAX_MINUTES, TimeUnit.MINUTES);
      CompletableFuture<Void> watchdog =
          CompletableFuture.runAsync(process::destroyForcibly, later);
      try (BufferedReader output = process.inputReader(UTF_8)) {
        output.lines().forEach(lines);
        return process.waitFor();
      } finally {
        watchdog.cancel(false);
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UnavailableException("cannot run " + command.get(0) + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while " + command.get(0) + " was running", e);
    }
  }
}
