// SPDX-License-Identifier: Apache-2.0
/** An emulated HCA, for machines without RDMA; start at {@code EmulatedHca}. */
module io.tombolo.emulated.hca {
  requires io.tombolo.base;

  exports io.tombolo.emulated.hca;
}
