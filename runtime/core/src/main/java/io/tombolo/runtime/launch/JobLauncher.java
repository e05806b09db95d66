// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.net.InetAddresses;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.OpenFiles;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Runs a job: hosts its store in this process, starts one JVM per rank, here or on {@linkplain
 * Placement other hosts}, and ends them all.
 *
 * <p>When a rank dies, or reports a failure to the store, the others learn of it at once through
 * their {@link FailureWatch}, and after a grace period are killed. Ranks are killed too when this
 * JVM shuts down; when it is itself killed, the ranks lose its store, and that ends them.
 */
public final class JobLauncher {
  private static final String HERE = "127.0.0.1";

  /** What a rank says comes by two pipes, and it has three connections to the store. */
  private static final int FILES_PER_RANK = 5;

  /** The store's own, the launcher's two connections to it, and what starting a process takes. */
  private static final int OTHER_FILES = 20;

  private JobLauncher() {}

  /**
   * Runs {@code job} and waits until its last process has ended.
   *
   * @return how it ended; a rank's failure is a result, not an exception
   * @throws io.tombolo.base.errors.UsageException if nobody knows at which address other hosts
   *     reach the store
   * @throws io.tombolo.base.errors.UnavailableException if the store's port is taken, or a process
   *     cannot be started; those that were are killed
   * @throws io.tombolo.base.errors.ResourceException if this process may have fewer files open than
   *     so many ranks take
   * @throws io.tombolo.base.errors.AbortedException if this thread is interrupted; all ranks are
   *     killed
   */
  public static JobResult run(JobSpec job, RankEvents events) {
    int ranks = job.vendors().size();
    OpenFiles.require(
        "the launcher of a job of " + ranks + " ranks",
        OTHER_FILES + (long) FILES_PER_RANK * ranks);
    JobToken token = token(System.getenv());
    InetAddress address =
        job.placement().map(StoreAddress::of).orElseGet(() -> InetAddresses.forString(HERE));
    InetSocketAddress wanted = new InetSocketAddress(address, job.storePort());
    try (TcpStoreServer server = TcpStoreServer.start(wanted, token);
        Store store = connect(server, token);
        Supervisor supervisor = new Supervisor(job, events, store, connect(server, token))) {
      for (int rank = 0; rank < job.vendors().size(); rank++) {
        supervisor.start(rank, variables(job, rank, server.address(), token, System.getenv()));
      }
      return supervisor.awaitEnd();
    }
  }

  /** A token that the user gave lets the user look at the job from outside. */
  private static JobToken token(Map<String, String> environment) {
    String given = environment.getOrDefault("TOMBOLO_TOKEN", "");
    return given.isEmpty() ? JobToken.random() : JobToken.parse(given);
  }

  private static Store connect(TcpStoreServer server, JobToken token) {
    return TcpStore.connect(
        server.address(), token, Deadline.after(JobEnvironment.DEFAULT_TIMEOUT));
  }

  /**
   * What the process of {@code rank} finds in its environment.
   *
   * @param own this process's environment
   */
  static Map<String, String> variables(
      JobSpec job, int rank, InetSocketAddress store, JobToken token, Map<String, String> own) {
    List<Integer> neighbours = neighbours(job, rank);
    JobEnvironment environment =
        new JobEnvironment(
            rank,
            job.vendors().size(),
            neighbours.indexOf(rank),
            InetAddresses.toAddrString(store.getAddress()),
            store.getPort(),
            StoreKind.TOMBOLO,
            token,
            job.vendors().get(rank),
            job.timeout(),
            job.settings());
    Map<String, String> variables = new LinkedHashMap<>(environment.toVariables());
    variables.put("LOCAL_WORLD_SIZE", Integer.toString(neighbours.size()));
    // This store is the job's alone, and the launcher looks for news at its top.
    variables.put(JobEnvironment.variableOf(JobEnvironment.GROUP), "");
    variables.put(JobEnvironment.variableOf(JobEnvironment.GENERATION), "0");
    variables.put(RankDevice.VARIABLE, RankDevice.of(job, rank, neighbours, variables, own));
    return variables;
  }

  /** The ranks on the host of {@code rank}. */
  private static List<Integer> neighbours(JobSpec job, int rank) {
    return job.placement()
        .map(placement -> placement.neighbours(rank))
        .orElseGet(() -> IntStream.range(0, job.vendors().size()).boxed().toList());
  }
}
