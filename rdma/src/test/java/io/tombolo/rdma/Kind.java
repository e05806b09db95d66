package io.tombolo.rdma;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.shm.ShmMedium;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.tcp.TcpMedium;
import io.tombolo.rdma.udp.UdpOptions;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The fabrics that have to conform. */
enum Kind {
  SHM,
  TCP,
  UDP,
  RC;

  /** How long a peer over UDP is silent before it counts as dead. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Those that need no hardware. */
  static final ImmutableList<Kind> ANYWHERE = ImmutableList.of(SHM, TCP, UDP);

  Fabric open(FabricSettings settings) {
    return switch (this) {
      case SHM -> Fabrics.shm(settings);
      case TCP -> Fabrics.tcp(settings, loopback());
      case UDP -> Fabrics.udp(settings, UdpOptions.of(loopback()).withGiveUp(PATIENCE));
      case RC ->
          VerbsFabrics.rc(
              settings, VerbsSettings.defaults().withDevice("rxe" + settings.rank()), loopback());
    };
  }

  /** Whether packets can get lost beneath it, so that pieces come late or twice. */
  boolean isLossy() {
    return this == UDP;
  }

  /** Whether a message waits at the sender until its receive is posted. */
  boolean isRendezvous() {
    return this == UDP;
  }

  /** Those that strangers connect to, who then say something or nothing. */
  static Kind[] connected() {
    return new Kind[] {SHM, TCP};
  }

  Fabric open(int rank, JobToken token, SlotGeometry geometry) {
    return open(
        new FabricSettings(rank, token, HostPinner.none(), geometry, Ticker.systemTicker()));
  }

  /** The way that a stranger takes, who has no fabric. */
  Medium medium() {
    return switch (this) {
      case SHM -> ShmMedium.open(HostPinner.none());
      case TCP -> TcpMedium.open(HostPinner.none(), loopback());
      case UDP -> throw new IllegalStateException("datagrams come unannounced");
      case RC -> throw new IllegalStateException("its strangers knock as TCP's do");
    };
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }
}
