/**
 * The ways between ranks: shared memory on one host, TCP between hosts.
 *
 * <p>Start at {@link io.tombolo.rdma.Fabric}; a {@link io.tombolo.rdma.Channel} joins two ranks over one.
 */
package io.tombolo.rdma;
