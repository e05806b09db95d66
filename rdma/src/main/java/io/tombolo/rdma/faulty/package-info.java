/**
 * Faults on purpose before a real wire: the loss laboratory, and jobs that are to be tried on a bad
 * network.
 *
 * <p>Start at {@link io.tombolo.rdma.faulty.FaultyWire}, which stands between a {@link
 * io.tombolo.rdma.reliable.ReliableChannel} and its wire; what goes wrong is said in {@link
 * io.tombolo.rdma.faulty.Faults}, whose plan is that of {@link io.tombolo.rdma.simulated}.
 */
package io.tombolo.rdma.faulty;
