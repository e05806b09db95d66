/**
 * The ways between ranks: shared memory on one host, RDMA on one fabric, TCP between hosts.
 *
 * <p>Start at {@link io.tombolo.rdma.Fabric}, opened by {@link io.tombolo.rdma.Fabrics} and {@link
 * io.tombolo.rdma.verbs.VerbsFabrics}, and chosen per peer by {@link
 * io.tombolo.rdma.FabricSelector}; a {@link io.tombolo.rdma.Channel} joins two ranks over one.
 */
package io.tombolo.rdma;
