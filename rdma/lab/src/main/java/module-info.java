// SPDX-License-Identifier: Apache-2.0
/**
 * What only laboratories and tests use: a simulated network, and a protocol to compete with. Start
 * at {@link io.tombolo.rdma.lab.simulated}.
 */
module io.tombolo.rdma.lab {
  requires transitive io.tombolo.base;
  requires transitive io.tombolo.rdma;

  exports io.tombolo.rdma.lab.gobackn;
  exports io.tombolo.rdma.lab.simulated;
}
