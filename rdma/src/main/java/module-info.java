// SPDX-License-Identifier: Apache-2.0
/** One seam per fabric; start at {@link io.tombolo.rdma.Fabric}. */
module io.tombolo.rdma {
  requires transitive io.tombolo.base;
  requires transitive io.tombolo.topology;
  requires jdk.net;
  requires jucx;
  requires org.slf4j;

  exports io.tombolo.rdma;
  exports io.tombolo.rdma.faulty;
  exports io.tombolo.rdma.reliable;
  exports io.tombolo.rdma.udp;
  exports io.tombolo.rdma.verbs;

  uses io.tombolo.rdma.FabricProvider;

  provides io.tombolo.rdma.FabricProvider with
      io.tombolo.rdma.shm.ShmProvider,
      io.tombolo.rdma.tcp.TcpProvider,
      io.tombolo.rdma.ucx.UcxProvider,
      io.tombolo.rdma.udp.UdpProvider,
      io.tombolo.rdma.verbs.RcProvider,
      io.tombolo.rdma.verbs.UcProvider,
      io.tombolo.rdma.verbs.UdProvider;
}
