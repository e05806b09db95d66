package io.tombolo.rdma;

import com.google.common.base.Ticker;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.shm.ShmMedium;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.tcp.TcpMedium;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The fabrics that have to conform. */
enum Kind {
  SHM,
  TCP;

  Fabric open(FabricSettings settings) {
    return this == SHM ? Fabrics.shm(settings) : Fabrics.tcp(settings, loopback());
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
