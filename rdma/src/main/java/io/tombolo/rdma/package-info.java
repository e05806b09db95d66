/**
 * The ways between ranks: shared memory on one host, TCP between hosts.
 *
 * <p>Start at {@link io.tombolo.rdma.Fabric}, opened by {@link io.tombolo.rdma.Fabrics} and chosen
 * per peer by {@link io.tombolo.rdma.FabricSelector}; a {@link io.tombolo.rdma.Channel} joins two
 * ranks over one.
 */
package io.tombolo.rdma;
