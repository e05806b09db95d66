// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.HardwareQueues;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.base.Capabilities;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostId;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSelector;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.environment.Build;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.exec.memory.SlotPins;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Uplink;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one process brings into a job: its device, its vendor's collective library, its fabrics.
 * Whoever opens it closes it, after everything made from it. For one thread.
 */
public final class Equipment implements AutoCloseable {
  /**
   * The protocol of this build; the setting {@code protocol} claims another, to rehearse an
   * upgrade.
   */
  public static final int PROTOCOL = 2;

  private final JobEnvironment environment;
  private final Optional<DeviceAdaptor> lent;
  private final CloseStack stack = new CloseStack();
  private DeviceAdaptor device;
  private Optional<HardwareQueues> missedQueues = Optional.empty();
  private CclAdaptor ccl;
  private CclAdaptor hostLibrary;
  private Reductions reductions;
  private ImmutableList<Fabric> fabrics;
  private FabricSelector selector;
  private DirectFabrics direct;
  private SlotPins pins;
  private ImmutableList<Uplink> uplinks;

  private Equipment(JobEnvironment environment, Optional<DeviceAdaptor> lent) {
    this.environment = environment;
    this.lent = lent;
  }

  /**
   * Opens what {@code environment} says this rank has; on failure nothing stays open.
   *
   * @throws UnavailableException with cause and fix, if the vendor cannot be used here
   */
  public static Equipment open(JobEnvironment environment) {
    return open(environment, Optional.empty());
  }

  /**
   * As the other, but with {@code device}, which this process has opened before, and which must
   * stay open for longer. With the others this rank shares no vendor's library: it {@linkplain
   * RankDescriptor#alone is a cluster of its own}.
   */
  public static Equipment beside(DeviceAdaptor device, JobEnvironment environment) {
    return open(environment, Optional.of(device));
  }

  private static Equipment open(JobEnvironment environment, Optional<DeviceAdaptor> lent) {
    Equipment equipment = new Equipment(environment, lent);
    try {
      Fabrics.exportDefaults();
      equipment.openVendor();
      equipment.openFabrics();
      return equipment;
    } catch (RuntimeException e) {
      equipment.close();
      throw e;
    }
  }

  private void openVendor() {
    Vendor vendor = Vendors.named(environment.vendor());
    Optional<HardwareQueues> unset = HardwareQueues.unset(vendor);
    if (vendor.availability() instanceof Availability.Missing missing) {
      throw new UnavailableException(
          "rank "
              + environment.rank()
              + ": vendor '"
              + vendor.name()
              + "' cannot be used here: "
              + missing.cause()
              + "; "
              + missing.fix());
    }
    device = lent.orElseGet(() -> opened(vendor));
    missedQueues = unset.filter(queues -> queues.isMissedBy(device));
    ccl = vendor.openCcl(device);
    stack.opened(() -> closeUnlessTainted(ccl));
    String where = environment.settings().getOrDefault(ReductionChoice.SETTING, "auto");
    reductions = ReductionChoice.of(vendor, device).by(where);
    reductions.device().ifPresent(kernels -> stack.opened(() -> closeUnlessTainted(kernels)));
  }

  private DeviceAdaptor opened(Vendor vendor) {
    int number = environment.number(JobEnvironment.DEVICE, environment.localRank());
    DeviceNumber.check(number, vendor.devices().size(), vendor);
    return stack.opened(vendor.openDevice(number));
  }

  private void openFabrics() {
    pins = stack.opened(new SlotPins(device));
    FabricSettings settings = FabricSettings.of(environment.rank(), environment.token(), pins);
    InetSocketAddress anyPort = new InetSocketAddress(bindAddress(), 0);
    uplinks = LocalUplinks.of(environment, device.properties().pciBusId());
    String wanted = environment.settings().getOrDefault("fabrics", "");
    fabrics = Fabrics.open(wanted, settings, anyPort, fabricOptions());
    fabrics.forEach(stack::opened);
    pins.seal();
    selector = FabricSelector.of(fabrics);
    direct = DirectFabrics.among(fabrics, device, pins.reachSlots());
  }

  /** What the user said, and which NICs are near, if the user left that to us. */
  private Map<String, String> fabricOptions() {
    Map<String, String> options = new HashMap<>(environment.settings());
    String near = String.join(",", NearNics.of(uplinks, environment.localRank()));
    options.putIfAbsent("rdma_near", near);
    return options;
  }

  /** At which of this host's addresses peers reach this process. */
  public InetAddress bindAddress() {
    return LocalInterface.towards(environment.storeHost(), environment.storePort());
  }

  /**
   * What this rank publishes about itself.
   *
   * @param acceptor where it hosts an acceptor, if it does
   */
  public RankDescriptor descriptor(Optional<byte[]> acceptor) {
    int protocol = environment.number("protocol", PROTOCOL);
    RankDescriptor mine =
        new RankDescriptor(
            protocol,
            protocol,
            Build.version(),
            environment.rank(),
            environment.vendor(),
            device.properties().name(),
            Vendors.named(environment.vendor()).apart(device.properties()),
            HostId.local(),
            ProcessHandle.current().pid(),
            AllowedProcessors.ofThisThread(),
            ccl.capabilities(),
            addresses(acceptor),
            uplinks,
            environment.settings());
    return lent.isPresent() ? mine.alone() : mine;
  }

  private ImmutableMap<String, byte[]> addresses(Optional<byte[]> acceptor) {
    ImmutableMap.Builder<String, byte[]> addresses = ImmutableMap.builder();
    addresses.putAll(selector.addresses());
    acceptor.ifPresent(address -> addresses.put(AcceptorHost.ADDRESS, address));
    return addresses.buildOrThrow();
  }

  /**
   * Joins the vendor's communicator of {@code cluster}, which {@code rank} is a member of, and
   * makes it connect.
   *
   * @param declared what all members' libraries are declared to do
   * @param uniqueId made by one of the members with {@link CclAdaptor#newUniqueId}
   * @param watch asked while the others are waited for
   * @throws PeerFailedException the failure that {@code watch} told
   */
  public CclCommunicator join(
      byte[] uniqueId,
      Cluster cluster,
      Capabilities declared,
      int rank,
      JoinWatch watch,
      Deadline deadline) {
    return VendorJoin.join(ccl, device, uniqueId, cluster, declared, rank, watch, deadline);
  }

  /**
   * Joins the host library's communicator of {@code everyone}, as {@link #join} does the vendor's;
   * {@code declared} is what the engine does.
   */
  public CclCommunicator joinFlat(
      byte[] uniqueId,
      Cluster everyone,
      Capabilities declared,
      int rank,
      JoinWatch watch,
      Deadline deadline) {
    return VendorJoin.join(
        hostLibrary(), device, uniqueId, everyone, declared, rank, watch, deadline);
  }

  /** The host library, which joins ranks of any vendors whose memory is one host's. Thread-safe. */
  public synchronized CclAdaptor hostLibrary() {
    if (hostLibrary == null) {
      hostLibrary = Vendors.host().openCcl(device);
      stack.opened(() -> closeUnlessTainted(hostLibrary));
    }
    return hostLibrary;
  }

  /** This rank's device. */
  public DeviceAdaptor device() {
    return device;
  }

  /** The hardware queues that the device does not have, as nobody asked for them in time. */
  public Optional<HardwareQueues> missedQueues() {
    return missedQueues;
  }

  /** Its vendor's collective library. */
  public CclAdaptor ccl() {
    return ccl;
  }

  /** Where this rank combines elements. */
  public Reductions reductions() {
    return reductions;
  }

  /** Every fabric that is open, to be driven by one thread. */
  public List<Fabric> fabrics() {
    return fabrics;
  }

  /** Those that reach this device's memory without a processor. */
  public DirectFabrics direct() {
    return direct;
  }

  /** What makes this device reach fabrics' slots. */
  public SlotPins slotPins() {
    return pins;
  }

  /** Which of them leads to whom. */
  public FabricSelector selector() {
    return selector;
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

  @Override
  public void close() {
    stack.close();
  }
}
