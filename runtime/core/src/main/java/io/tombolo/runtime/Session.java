package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.bootstrap.Agreement;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.Rendezvous;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.equipment.CloseStack;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.exec.Agent;
import io.tombolo.runtime.exec.Executor;
import io.tombolo.runtime.measure.Calibrations;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.LiveFiles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one process holds while it is in a job: opened step by step by {@link #join}, closed in
 * reverse order.
 */
final class Session implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private final JobEnvironment environment;
  private final CloseStack stack = new CloseStack();
  private final Deadline deadline;

  private Store store;
  private Equipment equipment;
  private PlanContext context;
  private Wiring wiring;
  private Executor executor;

  private Session(JobEnvironment environment) {
    this.environment = environment;
    this.deadline = environment.deadline();
  }

  /** Joins the job; on failure everything opened so far is closed, and the others are told. */
  static Session join(JobEnvironment environment) {
    Session session = new Session(environment);
    try {
      session.open();
      return session;
    } catch (RuntimeException e) {
      session.tellOthers(e);
      session.close();
      throw e;
    }
  }

  private void open() {
    store = stack.opened(environment.openStore());
    if (rank() == 0) {
      Presence.announce(store, environment.size());
    }
    equipment = stack.opened(Equipment.open(environment));
    wiring = new Wiring(rank(), equipment.fabrics());
    List<RankDescriptor> ranks =
        Rendezvous.exchange(store, equipment.descriptor(), environment.size(), deadline);
    context = contextOf(ranks);
    Agreement.check(store, "plan-context", rank(), environment.size(), context.facts(), deadline);
    Optional<CclCommunicator> vendorComm = joinCluster();
    wiring.connect(
        equipment.selector(),
        ranks,
        new Planner(context).peers(rank()),
        Executor.controlPeers(rank(), environment.size()),
        deadline);
    startExecutor(vendorComm);
    Presence.publish(store, rank(), Detection.hostName(LiveFiles.ofThisHost()), routes());
    Agreement.check(store, "ready", rank(), environment.size(), ImmutableSortedMap.of(), deadline);
    LOG.info("rank {} of {} is in", rank(), environment.size());
  }

  private PlanContext contextOf(List<RankDescriptor> ranks) {
    Clustering clustering = Clustering.of(ranks.stream().map(RankDescriptor::site).toList());
    return new PlanContext(
        Rendezvous.protocolOf(ranks),
        clustering,
        clustering.clusters().stream()
            .map(cluster -> ranks.get(cluster.rank(0)).capabilities())
            .collect(ImmutableList.toImmutableList()),
        Tuning.from(environment.settings()),
        Calibrations.agreed(store, environment, ranks, deadline));
  }

  private Optional<CclCommunicator> joinCluster() {
    Cluster cluster = context.clustering().clusterOf(rank());
    if (cluster.size() == 1) {
      return Optional.empty();
    }
    byte[] uniqueId =
        UniqueIds.share(
            store,
            "cluster-" + cluster.index(),
            rank(),
            cluster.rank(0),
            equipment.ccl()::newUniqueId,
            deadline);
    return Optional.of(equipment.join(uniqueId, cluster, deadline));
  }

  private void startExecutor(Optional<CclCommunicator> vendorComm) {
    Agent agent = new Agent();
    executor =
        new Executor(
            new Executor.Parts(
                rank(),
                environment.size(),
                equipment.device(),
                vendorComm,
                equipment.ccl().capabilities(),
                wiring.data(),
                wiring.control(),
                environment.timeout(),
                agent::wake),
            this::tellOthers);
    stack.opened(executor);
    stack.opened(agent);
    wiring.onFailure(executor::fail);
    agent.add(wiring);
    agent.add(executor);
    stack.opened(
        FailureWatch.start(
            environment.openStore(),
            text -> executor.abort(new PeerFailedException("rank " + rank() + " stops: " + text))));
  }

  /**
   * The first failure anywhere is everyone's: whoever waits learns the cause rather than a
   * deadline.
   */
  private void tellOthers(RuntimeException cause) {
    if (store == null || cause instanceof PeerFailedException) {
      return;
    }
    try {
      String text = String.valueOf(cause.getMessage());
      FailureWatch.report(store, text.startsWith("rank ") ? text : "rank " + rank() + ": " + text);
    } catch (TomboloException e) {
      LOG.debug("rank {} could not report its failure: {}", rank(), e.getMessage());
    }
  }

  int rank() {
    return environment.rank();
  }

  /** The setting {@code verify_plans}: 1 has each new plan proven before it is used. */
  boolean verifiesPlans() {
    return environment.number("verify_plans", 0) != 0;
  }

  PlanContext context() {
    return context;
  }

  DeviceAdaptor device() {
    return equipment.device();
  }

  Executor executor() {
    return executor;
  }

  ImmutableMap<Integer, String> routes() {
    return wiring.routes();
  }

  Traffic traffic() {
    Map<String, Long> byFabric = new TreeMap<>();
    long copied = 0;
    for (Channel channel : wiring.data().values()) {
      byFabric.merge(channel.fabric().name(), channel.sentBytes(), Long::sum);
      copied += channel.copiedBytes();
    }
    long cross = byFabric.values().stream().mapToLong(Long::longValue).sum();
    return new Traffic(executor.handedBytes(), cross, copied, ImmutableMap.copyOf(byFabric));
  }

  /**
   * Leaving is collective: nobody's last message may find its reader gone. After a failure nobody
   * waits.
   */
  @Override
  public void close() {
    if (executor != null && executor.failure().isEmpty() && !executor.isBusy()) {
      try {
        Agreement.check(
            store,
            "leave",
            rank(),
            environment.size(),
            ImmutableSortedMap.of(),
            environment.deadline());
      } catch (TomboloException e) {
        LOG.warn("rank {} leaves alone: {}", rank(), e.getMessage());
      }
    }
    stack.close();
  }
}
