// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs jobs as {@link JobLauncher} does, but in processes that stay for the next job: a test class
 * with many jobs starts its JVMs once, and loads and compiles its classes once in each.
 *
 * <p>A job that fails ends all processes, and the next one gets new ones; so does a job that says
 * other things to the emulations, which read the environment of their process. For one thread.
 */
public final class RankPool implements AutoCloseable {
  private final List<PooledProcess> processes = new ArrayList<>();
  private ImmutableMap<String, String> surroundings = ImmutableMap.of();

  /** How one rank of a job ended. */
  record Ending(int rank, ExitStatus status, String obituary) {}

  /**
   * Runs {@code job}, whose main class serves as a {@link PooledRank} when it gets no arguments.
   *
   * @throws IOException if a process cannot be started
   * @throws InterruptedException if this thread is interrupted; the processes are killed
   */
  public JobResult run(JobSpec job) throws IOException, InterruptedException {
    prepare(job);
    BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    boolean isSuccess = false;
    try (TcpStoreServer server = TcpStoreServer.start(anyPort, token);
        Store store = TcpStore.connect(server.address(), token, Deadline.after(job.timeout()))) {
      for (int rank = 0; rank < job.vendors().size(); rank++) {
        ImmutableMap<String, String> variables =
            ImmutableMap.copyOf(
                JobLauncher.variables(job, rank, server.address(), token, Map.of()));
        processes.get(rank).begin(new PooledRank.Role(variables, job.arguments()), endings);
      }
      JobResult result = awaitEnd(job, store, endings);
      isSuccess = result.isSuccess();
      return result;
    } finally {
      if (!isSuccess) {
        close();
      }
    }
  }

  /** What the ranks of the last job printed, by rank. */
  public String output() {
    StringBuilder output = new StringBuilder();
    processes.forEach(process -> output.append(process.output()));
    return output.toString();
  }

  @Override
  public void close() {
    processes.forEach(PooledProcess::kill);
    processes.clear();
  }

  private void prepare(JobSpec job) throws IOException {
    ImmutableMap<String, String> wanted = PooledProcess.surroundings(job);
    if (!wanted.equals(surroundings) || !processes.stream().allMatch(PooledProcess::isAlive)) {
      close();
      surroundings = wanted;
    }
    while (processes.size() < job.vendors().size()) {
      processes.add(new PooledProcess(processes.size(), job, surroundings));
    }
  }

  /** All ranks' endings; the ranks that are left a while after the first failure are killed. */
  private JobResult awaitEnd(JobSpec job, Store store, BlockingQueue<Ending> endings)
      throws InterruptedException {
    TreeMap<Integer, ExitStatus> ended = new TreeMap<>();
    Optional<Deadline> grace = Optional.empty();
    while (ended.size() < job.vendors().size()) {
      Ending ending =
          grace.isEmpty()
              ? endings.take()
              : endings.poll(grace.get().remainingNs(), TimeUnit.NANOSECONDS);
      if (ending == null) {
        processes.forEach(PooledProcess::kill);
        grace = Optional.of(Deadline.after(job.timeout()));
        continue;
      }
      ended.putIfAbsent(ending.rank(), ending.status());
      if (!ending.status().isSuccess() && grace.isEmpty()) {
        FailureWatch.report(store, ending.obituary());
        grace = Optional.of(Deadline.after(job.grace()));
      }
    }
    return new JobResult(ImmutableList.copyOf(ended.values()), FailureWatch.first(store));
  }
}
