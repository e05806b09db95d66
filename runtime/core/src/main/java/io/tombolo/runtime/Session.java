package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostId;
import io.tombolo.base.HostPinner;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSelector;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.bootstrap.Agreement;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.Rendezvous;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.exec.Agent;
import io.tombolo.runtime.exec.Executor;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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

  /**
   * The protocol of this build; the setting {@code protocol} claims another, to rehearse an
   * upgrade.
   */
  private static final int PROTOCOL = 1;

  private final JobEnvironment environment;
  private final CloseStack stack = new CloseStack();
  private final Deadline deadline;

  private Store store;
  private DeviceAdaptor device;
  private CclAdaptor ccl;
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
    Vendor vendor = Vendors.named(environment.vendor());
    if (vendor.availability() instanceof Availability.Missing missing) {
      throw new UnavailableException(
          "rank "
              + rank()
              + ": vendor '"
              + vendor.name()
              + "' cannot be used here: "
              + missing.cause()
              + "; "
              + missing.fix());
    }
    store = stack.opened(environment.openStore());
    device = vendor.openDevice(environment.number("device", environment.localRank()));
    stack.opened(device);
    ccl = vendor.openCcl(device);
    stack.opened(() -> closeUnlessTainted(ccl));
    FabricSelector selector = openFabrics();
    List<RankDescriptor> ranks =
        Rendezvous.exchange(store, descriptor(selector), environment.size(), deadline);
    context = contextOf(ranks);
    Agreement.check(store, "plan-context", rank(), environment.size(), context.facts(), deadline);
    Optional<CclCommunicator> vendorComm = joinCluster();
    wiring.connect(
        selector,
        ranks,
        new Planner(context).peers(rank()),
        Executor.controlPeers(rank(), environment.size()),
        deadline);
    startExecutor(vendorComm);
    Agreement.check(store, "ready", rank(), environment.size(), ImmutableSortedMap.of(), deadline);
    LOG.info("rank {} of {} is in", rank(), environment.size());
  }

  private FabricSelector openFabrics() {
    HostPinner pinner =
        (address, sizeBytes) -> {
          DeviceMemory pinned = device.register(address, sizeBytes);
          return pinned::close;
        };
    FabricSettings settings = FabricSettings.of(rank(), environment.token(), pinner);
    InetAddress bind = LocalInterface.towards(environment.storeHost(), environment.storePort());
    List<Fabric> fabrics =
        List.of(Fabrics.shm(settings), Fabrics.tcp(settings, new InetSocketAddress(bind, 0)));
    wiring = stack.opened(new Wiring(rank(), fabrics));
    return FabricSelector.of(fabrics, environment.settings().getOrDefault("fabrics", ""));
  }

  private RankDescriptor descriptor(FabricSelector selector) {
    int protocol = environment.number("protocol", PROTOCOL);
    return new RankDescriptor(
        protocol,
        protocol,
        Build.version(),
        rank(),
        environment.vendor(),
        device.properties().name(),
        HostId.local(),
        ProcessHandle.current().pid(),
        ccl.capabilities(),
        selector.addresses(),
        environment.settings());
  }

  private PlanContext contextOf(List<RankDescriptor> ranks) {
    Clustering clustering =
        Clustering.of(
            ranks.stream()
                .map(each -> new RankSite(each.rank(), each.vendor(), each.hostId(), each.device()))
                .toList());
    return new PlanContext(
        Rendezvous.protocolOf(ranks),
        clustering,
        clustering.clusters().stream()
            .map(cluster -> ranks.get(cluster.rank(0)).capabilities())
            .collect(ImmutableList.toImmutableList()),
        Tuning.from(environment.settings()));
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
            ccl::newUniqueId,
            deadline);
    return Optional.of(VendorJoin.join(ccl, device, uniqueId, cluster, rank(), deadline));
  }

  private void startExecutor(Optional<CclCommunicator> vendorComm) {
    Agent agent = new Agent();
    executor =
        new Executor(
            new Executor.Parts(
                rank(),
                environment.size(),
                device,
                vendorComm,
                ccl.capabilities(),
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
    return device;
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
   * After a failure a vendor's library may be stuck in what it holds: that is left behind, not
   * waited for.
   */
  private void closeUnlessTainted(AutoCloseable resource) throws Exception {
    if (!device.isTainted()) {
      resource.close();
    }
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
