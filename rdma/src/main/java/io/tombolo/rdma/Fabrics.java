package io.tombolo.rdma;

import io.tombolo.base.Availability;
import io.tombolo.rdma.shm.ShmMedium;
import io.tombolo.rdma.staged.StagedFabric;
import io.tombolo.rdma.tcp.TcpMedium;
import io.tombolo.rdma.ucx.UcxLibrary;
import io.tombolo.rdma.ucx.UcxMedium;
import io.tombolo.rdma.udp.UdpFabric;
import io.tombolo.rdma.udp.UdpOptions;
import java.net.InetSocketAddress;

/** Opens fabrics. Whoever opens one closes it. */
public final class Fabrics {
  private Fabrics() {}

  /**
   * {@code shm}: peers on this host, through a memory segment that both sides pin. It listens on an
   * abstract Unix socket of a random name; nothing stays behind, however the process ends.
   */
  public static Fabric shm(FabricSettings settings) {
    return new StagedFabric(ShmMedium.open(settings.pinner()), settings);
  }

  /**
   * {@code tcp}: peers on any host, staged through host memory.
   *
   * @param bind where to listen: an address of this host, or the wildcard for all its interfaces;
   *     port 0 for any
   * @throws io.tombolo.base.errors.UnavailableException if that address or port cannot be had
   */
  public static Fabric tcp(FabricSettings settings, InetSocketAddress bind) {
    return new StagedFabric(TcpMedium.open(settings.pinner(), bind), settings);
  }

  /**
   * {@code udp}: peers on any host, by datagrams that may get lost, staged through host memory.
   *
   * @throws io.tombolo.base.errors.UnavailableException if the address or port cannot be had
   */
  public static UdpFabric udp(FabricSettings settings, UdpOptions options) {
    return UdpFabric.open(settings, options);
  }

  /**
   * {@code ucx}: peers on any host, over the best network that UCX finds between them; host memory
   * is read and written in place.
   *
   * @param bind where peers meet before UCX carries anything; as for {@link #tcp}
   * @throws io.tombolo.base.errors.UnavailableException if {@link #ucxAvailability} says so, or
   *     that address or port cannot be had
   */
  public static Fabric ucx(FabricSettings settings, InetSocketAddress bind) {
    return new StagedFabric(UcxMedium.open(settings, bind), settings);
  }

  /**
   * Puts into this process's environment what libraries behind fabrics read there; to be called
   * before a vendor's library is opened, as {@link io.tombolo.base.NativeEnvironment} says.
   */
  public static void exportDefaults() {
    UcxLibrary.exportDefaults();
  }

  /** Whether UCX can be used in this process, in which version; else why not, and what helps. */
  public static Availability ucxAvailability() {
    return UcxLibrary.availability();
  }
}
