// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rank's process and the threads that read its output. For a rank on another host it is the
 * process here that runs it there, which ends as the rank does.
 */
final class RankProcess {
  private static final Logger LOG = LoggerFactory.getLogger(RankProcess.class);
  private static final long DRAIN_MS = 2_000;

  private final int rank;
  private final String vendor;
  private final Optional<String> host;
  private final Process process;
  private final Thread output;
  private final Thread errors;
  private final LastWord lastWord = new LastWord();

  /**
   * Starts the process.
   *
   * @param onOutput gets lines of standard output, from one thread
   * @param onError gets lines of standard error, from another
   */
  RankProcess(
      int rank,
      JobSpec job,
      Map<String, String> variables,
      Consumer<String> onOutput,
      Consumer<String> onError)
      throws IOException {
    this.rank = rank;
    this.vendor = job.vendors().get(rank);
    RankStart start = RankStart.of(job, rank, variables, System.getenv());
    this.host = start.there().map(RankStart.There::host);
    ProcessBuilder builder = new ProcessBuilder(start.command());
    builder.environment().putAll(start.variables());
    this.process = builder.start();
    if (start.there().isPresent()) {
      String script = start.there().get().script();
      daemon("script", () -> write(script)); // who reads it may be slow to reach its host
    } else {
      process.getOutputStream().close();
    }
    this.output = daemon("output", () -> read(process.getInputStream(), onOutput));
    this.errors =
        daemon("errors", () -> read(process.getErrorStream(), line -> onError(line, onError)));
  }

  int rank() {
    return rank;
  }

  String vendor() {
    return vendor;
  }

  /** The process on this host. */
  long pid() {
    return process.pid();
  }

  /** Whether the rank itself is that process. */
  boolean isHere() {
    return host.isEmpty();
  }

  /** Where it is, for people. */
  String place() {
    return host.map(name -> "on " + name).orElse("pid " + pid());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Calls {@code action}, on a thread of its own, once the process has ended and its output is
   * read.
   */
  void onEnd(Runnable action) {
    daemon(
        "end",
        () -> {
          try {
            process.waitFor();
            // Bounded, because a process that the rank started may hold its output open.
            TimeUnit.MILLISECONDS.timedJoin(output, DRAIN_MS);
            TimeUnit.MILLISECONDS.timedJoin(errors, DRAIN_MS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          action.run();
        });
  }

  /** How it ended; only once it has. */
  ExitStatus status() {
    return new ExitStatus(process.exitValue());
  }

  /** How it ended, in one sentence, with its last word if it ended by itself. */
  String obituary() {
    String why = status().isSignal() ? "" : lastWord.afterColon();
    return "rank %s (%s, %s) %s%s".formatted(rank, vendor, place(), status(), why);
  }

  /** Ends it without its consent; on another host by letting go of its {@link RankScript}. */
  void kill() {
    if (isHere()) {
      process.destroyForcibly();
      return;
    }
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      LOG.debug("letting go of rank {} {}", rank, place(), e);
    }
  }

  /** Gives up the process here if that has not ended it by {@code deadline}: its host is mute. */
  void abandon(Deadline deadline) {
    try {
      if (!process.waitFor(Math.max(0, deadline.remainingNs()), TimeUnit.NANOSECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  private void write(String script) {
    try {
      OutputStream lifeline = process.getOutputStream();
      lifeline.write(script.getBytes(UTF_8));
      lifeline.flush();
    } catch (IOException e) {
      LOG.debug("starting rank {} {}", rank, place(), e); // how the process ends says more
    }
  }

  private void onError(String line, Consumer<String> next) {
    lastWord.hear(line);
    next.accept(line);
  }

  private Thread daemon(String what, Runnable action) {
    Thread thread = new Thread(action, "tombolo-rank-" + rank + "-" + what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void read(InputStream stream, Consumer<String> onLine) {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        onLine.accept(line);
      }
    } catch (IOException e) {
      LOG.debug("reading the output of rank {}", rank, e);
    }
  }
}
