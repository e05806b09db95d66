// SPDX-License-Identifier: Apache-2.0
/**
 * The ways between ranks: shared memory on one host; RDMA, UCX, TCP and UDP between hosts.
 *
 * <p>Start at {@link io.tombolo.rdma.Fabric}, found and opened by {@link io.tombolo.rdma.Fabrics},
 * and chosen per peer by {@link io.tombolo.rdma.FabricSelector}; a {@link io.tombolo.rdma.Channel}
 * joins two ranks over one. Which fabrics there are is told by the {@link
 * io.tombolo.rdma.FabricProvider}s on the path.
 */
package io.tombolo.rdma;
