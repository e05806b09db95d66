package io.tombolo.rdma;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.shm.ShmMedium;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.tcp.TcpMedium;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The fabrics that have to conform. */
enum Kind {
  SHM,
  TCP,
  RC;

  /** Those that need no hardware. */
  static final ImmutableList<Kind> ANYWHERE = ImmutableList.of(SHM, TCP);

  Fabric open(FabricSettings settings) {
    return switch (this) {
      case SHM -> Fabrics.shm(settings);
      case TCP -> Fabrics.tcp(settings, loopback());
      case RC -> VerbsFabrics.rc(settings, device(settings.rank()), loopback());
    };
  }

  private static VerbsSettings device(int rank) {
    return VerbsSettings.defaults().withDevice("rxe" + rank);
  }

  Fabric open(int rank, JobToken token, SlotGeometry geometry) {
    return open(
        new FabricSettings(rank, token, HostPinner.none(), geometry, Ticker.systemTicker()));
  }

  /** The way that a stranger takes, who has no fabric. */
  Medium medium() {
    return this == SHM
        ? ShmMedium.open(HostPinner.none())
        : TcpMedium.open(HostPinner.none(), loopback());
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }
}
