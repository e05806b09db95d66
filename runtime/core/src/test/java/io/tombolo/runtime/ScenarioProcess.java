// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A {@link ScenarioRank} from outside. */
final class ScenarioProcess implements AutoCloseable {
  private static final List<String> FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:-UsePerfData",
          "-Xshare:auto",
          "-Xmx128m");

  private final Process process;
  private final List<Line> said = new ArrayList<>();
  private boolean isSilent;

  /**
   * A line that it said.
   *
   * @param atNs when, by {@link System#nanoTime}
   */
  record Line(String text, long atNs) {}

  /** Starts it with {@code argument} and these variables. */
  ScenarioProcess(String argument, Map<String, String> variables) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(
        List.of(
            "-cp", System.getProperty("java.class.path"), ScenarioRank.class.getName(), argument));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(variables);
    process = builder.start();
    Thread reader = new Thread(this::read, "reader");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said(line);
      }
    } catch (IOException e) {
      said("(" + e + ")"); // it was killed
    }
    synchronized (said) {
      isSilent = true;
      said.notifyAll();
    }
  }

  private void said(String line) {
    synchronized (said) {
      said.add(new Line(line, System.nanoTime()));
      said.notifyAll();
    }
  }

  long pid() {
    return process.pid();
  }

  /** The first line that begins with {@code words}. */
  Line await(String words, Deadline deadline) throws InterruptedException {
    return awaitAny(List.of(words), deadline);
  }

  /** The first line that begins with any of {@code words}. */
  Line awaitAny(Collection<String> words, Deadline deadline) throws InterruptedException {
    synchronized (said) {
      Optional<Line> found = find(words);
      while (found.isEmpty()) {
        if (isSilent || deadline.isExpired()) {
          throw new AssertionError("has not said '" + words + "' in time, but " + said);
        }
        said.wait(deadline.waitMs());
        found = find(words);
      }
      return found.get();
    }
  }

  private Optional<Line> find(Collection<String> words) {
    return said.stream()
        .filter(line -> words.stream().anyMatch(line.text()::startsWith))
        .findFirst();
  }

  /** Has it take the next step. */
  void goOn() throws IOException {
    process.outputWriter(UTF_8).append('\n').flush();
  }

  /** Sends it the signal {@code name}. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start().waitFor();
  }

  /** Kills it, and waits until it has ended. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES)) {
        throw new AssertionError("process " + pid() + " cannot be killed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
