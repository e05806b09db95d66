// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableMap;
import io.tombolo.runtime.environment.JobEnvironment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** One process of a {@link RankPool}, from the outside. */
final class PooledProcess {
  private final int rank;
  private final Process process;
  private final Writer input;
  private final Queue<String> output = new ConcurrentLinkedQueue<>();
  private volatile BlockingQueue<RankPool.Ending> endings = new LinkedBlockingQueue<>();
  private final LastWord lastWord = new LastWord();

  /** Starts the main class of {@code job} without arguments. */
  PooledProcess(int rank, JobSpec job, ImmutableMap<String, String> surroundings)
      throws IOException {
    JobSpec serving =
        JobSpec.of(new ClusterSpec(job.vendors()), job.mainClass())
            .withJvmFlags(job.jvmFlags().toArray(String[]::new));
    ProcessBuilder builder = new ProcessBuilder(RankCommand.of(serving)).redirectErrorStream(true);
    builder.environment().putAll(surroundings);
    builder.environment().put("RANK", Integer.toString(rank)); // from which emulations deal queues
    this.rank = rank;
    this.process = builder.start();
    this.input = process.outputWriter(UTF_8);
    Thread reader = new Thread(this::read, "tombolo-pooled-rank-" + rank);
    reader.setDaemon(true);
    reader.start();
  }

  /** The settings of {@code job} that are not Tombolo's, but the emulations', as variables. */
  static ImmutableMap<String, String> surroundings(JobSpec job) {
    ImmutableMap.Builder<String, String> variables = ImmutableMap.builder();
    job.settings()
        .forEach(
            (name, value) -> {
              if (name.startsWith("emu_") || name.startsWith("hca_")) {
                variables.put(JobEnvironment.variableOf(name), value);
              }
            });
    return variables.buildOrThrow();
  }

  /** Has it be {@code role}; how that ends, or the process does, is put into {@code queue}. */
  void begin(PooledRank.Role role, BlockingQueue<RankPool.Ending> queue) throws IOException {
    output.clear();
    lastWord.forget();
    endings = queue;
    input.write(role.lines());
    input.flush();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String output() {
    return "rank " + rank + ":\n" + String.join("\n", output) + "\n";
  }

  void kill() {
    process.destroyForcibly();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Optional<ExitStatus> status = PooledRank.ended(line);
        if (status.isPresent()) {
          end(status.get());
        } else {
          output.add(line);
          lastWord.hear(line);
        }
      }
      end(new ExitStatus(process.waitFor()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void end(ExitStatus status) {
    String obituary =
        "rank %d (pid %d) %s%s".formatted(rank, process.pid(), status, lastWord.afterColon());
    endings.add(new RankPool.Ending(rank, status, obituary));
  }
}
