// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.Availability;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.rails.Rail;
import io.tombolo.rdma.rails.RailsFabric;
import io.tombolo.rdma.shm.ShmMedium;
import io.tombolo.rdma.shm.ShmProvider;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.tcp.TcpMedium;
import io.tombolo.rdma.tcp.TcpProvider;
import io.tombolo.rdma.ucx.UcxLibrary;
import io.tombolo.rdma.ucx.UcxProvider;
import io.tombolo.rdma.udp.UdpFabric;
import io.tombolo.rdma.udp.UdpOptions;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.testng.SkipException;

/** The fabrics that have to conform. */
enum Kind {
  SHM,
  TCP,
  UDP,
  UCX,
  /** Over the emulated HCA. */
  EMU_RC,
  EMU_UC,
  EMU_UD,
  /** The same with three queue pairs to each peer. */
  PATHS3_UC,
  /** Over the emulated HCA as another driver's device. */
  BNXT_RC,
  BNXT_UD,
  IRDMA_RC,
  IRDMA_UD,
  HNS_RC,
  HNS_UD,
  RXE_RC,
  RXE_UC,
  RXE_UD,
  LEAST_RC,
  LEAST_UC,
  LEAST_UD,
  EFA_UD,
  /** Over several rails at once. */
  RAILS2_TCP,
  RAILS3_TCP,
  RAILS2_RC,
  RAILS2_UC,
  RAILS3_UC,
  RAILS2_UD,
  /** Over Soft-RoCE, in the virtual machine. */
  RC,
  UC,
  UD;

  /** How long a peer over UDP is silent before it counts as dead. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Those that need no hardware. */
  static final ImmutableList<Kind> ANYWHERE =
      ImmutableList.of(SHM, TCP, UDP, UCX, EMU_RC, EMU_UC, EMU_UD, RAILS2_RC, RAILS3_UC);

  /** Those over what some driver's devices refuse, beside those anywhere. */
  static final ImmutableList<Kind> CONFORMING =
      ImmutableList.<Kind>builder()
          .addAll(ANYWHERE)
          .add(BNXT_RC, BNXT_UD, IRDMA_RC, IRDMA_UD, HNS_RC, HNS_UD, RXE_RC, RXE_UC, RXE_UD)
          .add(LEAST_RC, LEAST_UC, LEAST_UD, EFA_UD)
          .add(PATHS3_UC)
          .add(RAILS2_TCP, RAILS3_TCP, RAILS2_UD)
          .build();

  /** Those that are tested in the virtual machine. */
  static final ImmutableList<Kind> SOFT_ROCE = ImmutableList.of(RC, UC, UD);

  /** Of these, those whose packets may get lost: what the reliable protocol is for. */
  static final ImmutableList<Kind> SOFT_ROCE_LOSSY = ImmutableList.of(UC, UD);

  /**
   * Of those anywhere, the ones that carry gigabytes, or a hundred thousand messages, in seconds.
   */
  static final ImmutableList<Kind> FAST = ImmutableList.of(SHM, TCP, UDP, UCX);

  /** Those that strangers connect to, who then say something or nothing. */
  static final ImmutableList<Kind> CONNECTED = ImmutableList.of(SHM, TCP, UCX);

  private static VerbsSettings softRoce(int rank) {
    return VerbsSettings.defaults().withDevice("rxe" + rank);
  }

  /** Those to be tested with a process of their own, which in the virtual machine starts slowly. */
  static List<Kind> inProcesses() {
    return FabricPair.IN_GUEST ? ImmutableList.of(UC) : ANYWHERE;
  }

  /**
   * Those of {@code kinds} that are to be tested: if the system property {@code tombolo.kinds} says
   * so, those whose names begin with it, or all but UCX if it says "others". The build tests UCX in
   * a JVM of its own, see the module's pom.
   */
  static List<Kind> chosen(List<Kind> kinds) {
    String wanted = System.getProperty("tombolo.kinds", "");
    return wanted.equals("others")
        ? kinds.stream().filter(kind -> kind != UCX).toList()
        : kinds.stream().filter(kind -> kind.name().startsWith(wanted)).toList();
  }

  /** One row for each chosen kind, for data providers. */
  static Object[][] rows(List<Kind> kinds) {
    return chosen(kinds).stream().map(kind -> new Object[] {kind}).toArray(Object[][]::new);
  }

  Fabric open(FabricSettings settings) {
    return open(settings, Optional.empty());
  }

  /** With {@code faults} before it, which only lossy kinds can have. */
  Fabric open(FabricSettings settings, Optional<Faults> faults) {
    return switch (this) {
      case SHM -> new ShmProvider().open(settings, loopback(), Map.of());
      case TCP -> new TcpProvider().open(settings, loopback(), Map.of());
      case UDP -> {
        UdpOptions options = UdpOptions.of(loopback()).withGiveUp(PATIENCE);
        yield UdpFabric.open(settings, faults.map(options::withFaults).orElse(options));
      }
      case UCX -> {
        skipIfMissing();
        yield new UcxProvider().open(settings, loopback(), Map.of());
      }
      case EMU_RC, BNXT_RC, IRDMA_RC, HNS_RC, RXE_RC, LEAST_RC ->
          asDriver(() -> VerbsFabrics.rc(settings, emulated(settings.rank(), faults), loopback()));
      case EMU_UC, RXE_UC, LEAST_UC ->
          asDriver(() -> VerbsFabrics.uc(settings, emulated(settings.rank(), faults), loopback()));
      case EMU_UD, BNXT_UD, IRDMA_UD, HNS_UD, RXE_UD, LEAST_UD, EFA_UD ->
          asDriver(() -> VerbsFabrics.ud(settings, emulated(settings.rank(), faults), loopback()));
      case PATHS3_UC ->
          VerbsFabrics.uc(settings, emulated(settings.rank(), faults).withPaths(3), loopback());
      case RAILS2_TCP -> rails(settings, 2, nic -> TCP.open(settings));
      case RAILS3_TCP -> rails(settings, 3, nic -> TCP.open(settings));
      case RAILS2_RC -> VerbsFabrics.rc(settings, twoRails(), loopback());
      case RAILS3_UC -> rails(settings, 3, nic -> EMU_UC.openOn(nic, settings));
      case RAILS2_UC -> VerbsFabrics.uc(settings, twoRails(), loopback());
      case RAILS2_UD -> VerbsFabrics.ud(settings, twoRails(), loopback());
      case RC -> VerbsFabrics.rc(settings, softRoce(settings.rank()), loopback());
      case UC -> VerbsFabrics.uc(settings, softRoce(settings.rank()), loopback());
      case UD -> VerbsFabrics.ud(settings, softRoce(settings.rank()), loopback());
    };
  }

  /** {@link #EMU_RC}, {@link #EMU_UC} or {@link #EMU_UD} over that NIC, whichever rank it is. */
  Fabric openOn(int nic, FabricSettings settings) {
    VerbsSettings verbs = emulated(nic, Optional.empty());
    if (this == EMU_RC) {
      return VerbsFabrics.rc(settings, verbs, loopback());
    }
    return this == EMU_UC
        ? VerbsFabrics.uc(settings, verbs, loopback())
        : VerbsFabrics.ud(settings, verbs, loopback());
  }

  /** The emulated HCA has two NICs: a third rail is over the first one again. */
  private static Fabric rails(FabricSettings settings, int count, IntFunction<Fabric> open) {
    List<Rail> rails =
        IntStream.range(0, count)
            .mapToObj(i -> new Rail(open.apply(i % 2), "nic" + i, 1000 * (i + 1)))
            .toList();
    return RailsFabric.over(rails, TcpMedium.open(settings.pinner(), loopback()), settings);
  }

  /** What {@code open} opens on the emulated HCA behaves as the driver's in this kind's name. */
  private Fabric asDriver(Supplier<Fabric> open) {
    String driver = name().substring(0, name().indexOf('_')).toLowerCase(Locale.ROOT);
    EmulatedHca.set("PROFILE", driver.equals("emu") ? "mlx5" : driver);
    try {
      return open.get();
    } finally {
      EmulatedHca.set("PROFILE", "mlx5");
    }
  }

  private static VerbsSettings twoRails() {
    return VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library(), "rdma_rails", "2"));
  }

  private static VerbsSettings emulated(int rank, Optional<Faults> faults) {
    VerbsSettings device =
        VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library()))
            .withDevice(EmulatedHca.device(rank));
    return faults.map(device::withFaults).orElse(device);
  }

  /** Whether packets can get lost beneath it, so that pieces come late or twice. */
  boolean isLossy() {
    return this == UDP || name().endsWith("UC") || name().endsWith("UD");
  }

  /** Whether a channel is open before the peer has asked for it, too. */
  boolean opensAlone() {
    return this == SHM || this == TCP || this == UDP;
  }

  /** Whether a message waits at the sender until its receive is posted. */
  boolean isRendezvous() {
    return isLossy() || name().startsWith("RAILS");
  }

  /**
   * What it takes in for sure. Over UCX, news of free slots waits until they are half of all, so
   * that fewer may be known to be free.
   */
  ChannelRoom room(SlotGeometry geometry) {
    if (isRendezvous()) {
      return ChannelRoom.LEAST;
    }
    int late = this == UCX ? (geometry.slots() - 1) / 2 : 0;
    return ChannelRoom.of(new SlotGeometry(geometry.slots() - late, geometry.payloadBytes()));
  }

  /** Whether nothing beside the slots, such as a socket's buffer, takes anything in. */
  boolean takesNoMoreThanItsRoom() {
    return this != TCP && this != UCX;
  }

  /** UCX is the machine's, not ours. */
  static void skipIfMissing() {
    if (UcxLibrary.availability() instanceof Availability.Missing missing) {
      throw new SkipException("no UCX here: " + missing.cause() + "; " + missing.fix());
    }
  }

  Fabric open(int rank, JobToken token, SlotGeometry geometry) {
    return open(
        new FabricSettings(rank, token, HostPinner.none(), geometry, Ticker.systemTicker()));
  }

  /** The way that a stranger takes, who has no fabric; UCX's peers meet over TCP. */
  Medium medium() {
    return switch (this) {
      case SHM -> ShmMedium.open(HostPinner.none());
      case TCP, UCX -> TcpMedium.open(HostPinner.none(), loopback());
      case UDP -> throw new IllegalStateException("datagrams come unannounced");
      case EMU_RC,
          EMU_UC,
          EMU_UD,
          PATHS3_UC,
          BNXT_RC,
          BNXT_UD,
          IRDMA_RC,
          IRDMA_UD,
          HNS_RC,
          HNS_UD,
          RXE_RC,
          RXE_UC,
          RXE_UD,
          LEAST_RC,
          LEAST_UC,
          LEAST_UD,
          EFA_UD,
          RAILS2_TCP,
          RAILS3_TCP,
          RAILS2_RC,
          RAILS2_UC,
          RAILS3_UC,
          RAILS2_UD,
          RC,
          UC,
          UD ->
          throw new IllegalStateException("its strangers knock as TCP's do");
    };
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }
}
