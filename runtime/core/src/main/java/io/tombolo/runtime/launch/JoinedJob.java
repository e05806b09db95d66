// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.Interrupts;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStoreServer;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Sourced;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's place in a job, whoever launched it.
 *
 * <p>Our launcher and torchrun host the job's store themselves. mpirun, srun and the like host
 * nothing: there rank 0 hosts it, for as long as any rank needs it. If such a launcher gives no
 * {@code TOMBOLO_TOKEN} and all ranks are on one host, they meet through a {@link MeetingFile}.
 *
 * <p>Close it last, after everything that uses the store.
 */
public final class JoinedJob implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JoinedJob.class);
  private static final String CAME = "came";
  private static final String LEFT = "left";

  private final JobEnvironment environment;
  private final Optional<TcpStoreServer> server;
  private final Optional<MeetingFile> file;
  private final Deadline gathering;

  private JoinedJob(
      JobEnvironment environment,
      Optional<TcpStoreServer> server,
      Optional<MeetingFile> file,
      Ticker ticker) {
    this.environment = environment;
    this.server = server;
    this.file = file;
    this.gathering = Deadline.after(ticker, environment.timeout());
  }

  /**
   * Finds out who this process is, and on rank 0 starts what the others will need.
   *
   * @param variables its environment, {@link System#getenv()} as a rule
   * @throws UsageException naming what is missing or contradicts itself, and what to set
   * @throws UnavailableException if the store's port cannot be listened on, or if rank 0 does not
   *     listen there within the environment's timeout
   */
  public static JoinedJob join(Map<String, String> variables) {
    return join(variables, Ticker.systemTicker());
  }

  /** As the other; {@code ticker} says when the time to come is over. */
  static JoinedJob join(Map<String, String> variables, Ticker ticker) {
    if (JobEnvironment.storeKindOf(variables) != StoreKind.RANK0) {
      return new JoinedJob(
          JobEnvironment.from(variables), Optional.empty(), Optional.empty(), ticker);
    }
    JoinedJob job = joinRankZero(variables, ticker);
    if (job.server.isEmpty()) {
      job.tell(CAME, job.environment::openStore);
    }
    return job;
  }

  private static JoinedJob joinRankZero(Map<String, String> variables, Ticker ticker) {
    LaunchEnvironment launch = LaunchEnvironment.of(variables);
    boolean hosts = launch.rank().map(Sourced::value).equals(Optional.of(0));
    if (variables.getOrDefault("TOMBOLO_TOKEN", "").isEmpty()
        && launch.isOnOneHost()
        && launch.jobId().isPresent()) {
      MeetingFile file = MeetingFile.of(launch.jobId().get().value(), variables);
      return hosts ? host(variables, file, ticker) : meet(variables, launch, file, ticker);
    }
    JobEnvironment environment = JobEnvironment.from(variables);
    Optional<TcpStoreServer> server =
        hosts ? Optional.of(serve(environment, launch)) : Optional.empty();
    return new JoinedJob(environment, server, Optional.empty(), ticker);
  }

  /** Who this process is. */
  public JobEnvironment environment() {
    return environment;
  }

  private static JoinedJob host(Map<String, String> variables, MeetingFile file, Ticker ticker) {
    JobToken token = JobToken.random();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    TcpStoreServer server = TcpStoreServer.start(any, token);
    try {
      int port = server.address().getPort();
      JobEnvironment environment = JobEnvironment.from(with(variables, port, token));
      file.publish(port, token);
      return new JoinedJob(environment, Optional.of(server), Optional.of(file), ticker);
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private static JoinedJob meet(
      Map<String, String> variables, LaunchEnvironment launch, MeetingFile file, Ticker ticker) {
    MeetingFile.Content content =
        file.await(
            launch.rank().orElseThrow().value(),
            Deadline.after(JobEnvironment.timeoutOf(variables)));
    JobEnvironment environment =
        JobEnvironment.from(with(variables, content.port(), content.token()));
    return new JoinedJob(environment, Optional.empty(), Optional.empty(), ticker);
  }

  private static Map<String, String> with(Map<String, String> variables, int port, JobToken token) {
    Map<String, String> complete = new HashMap<>(variables);
    complete.put("MASTER_ADDR", InetAddress.getLoopbackAddress().getHostAddress());
    complete.put("MASTER_PORT", Integer.toString(port));
    complete.put("TOMBOLO_TOKEN", token.hex());
    return complete;
  }

  private static TcpStoreServer serve(JobEnvironment environment, LaunchEnvironment launch) {
    InetSocketAddress address =
        new InetSocketAddress(environment.storeHost(), environment.storePort());
    String told = launch.masterAddress().map(Sourced::toString).orElseThrow();
    if (address.isUnresolved()) {
      throw new UnavailableException(
          "rank 0 cannot host the store: nobody knows the host "
              + told
              + "; set MASTER_ADDR to an address of rank 0's host");
    }
    if (address.getAddress().isLoopbackAddress()
        && launch.localSize().isPresent()
        && !launch.isOnOneHost()) {
      throw new UsageException(
          "ranks on other hosts cannot reach the store at "
              + told
              + ", which is "
              + address.getAddress().getHostAddress()
              + "; set MASTER_ADDR to an address of rank 0's host that they can reach");
    }
    try {
      return TcpStoreServer.start(address, environment.token());
    } catch (UnavailableException e) {
      throw new UnavailableException(
          "rank 0: "
              + e.getMessage()
              + "; MASTER_ADDR must be an address of rank 0's host, and MASTER_PORT free there",
          e);
    }
  }

  /**
   * Says goodbye; where this process hosts the store it waits until all others have. Who has not
   * come by then is waited for no longer than the environment's timeout after {@link #join}.
   */
  @Override
  public void close() {
    try {
      if (environment.storeKind() == StoreKind.RANK0) {
        Interrupts.aside(this::leave);
      }
    } catch (TomboloException e) {
      LOG.warn("rank {} leaves alone: {}", environment.rank(), e.getMessage());
    } finally {
      server.ifPresent(TcpStoreServer::close);
      file.ifPresent(MeetingFile::remove);
    }
  }

  private void leave() {
    if (server.isEmpty()) {
      tell(LEFT, environment::openStoreToLeave);
      return;
    }
    try (Store store = environment.openStoreToLeave()) {
      boolean failed = FailureWatch.first(store).isPresent();
      Deadline deadline =
          failed ? Deadline.after(JobSpec.DEFAULT_GRACE) : environment.partingDeadline();
      store.within(LEFT).awaitAll(guests(store, failed), deadline);
    }
  }

  /** The other ranks: all of them, unless their time to come is over. */
  private List<String> guests(Store store, boolean failed) {
    List<String> others =
        IntStream.range(1, environment.size()).mapToObj(Integer::toString).toList();
    Store came = store.within(CAME);
    if (!failed && !gathering.isExpired()) {
      awaitQuietly(came, others);
    }
    return others.stream().filter(rank -> came.get(rank).isPresent()).toList();
  }

  private void awaitQuietly(Store came, List<String> others) {
    try {
      came.awaitAll(others, gathering);
    } catch (DeadlineExceededException e) {
      LOG.warn("rank {}: some ranks never came: {}", environment.rank(), e.getMessage());
    }
  }

  private void tell(String what, Supplier<Store> opening) {
    try (Store store = opening.get()) {
      store.within(what).set(Integer.toString(environment.rank()), new byte[] {1});
    }
  }
}
