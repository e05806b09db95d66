// SPDX-License-Identifier: Apache-2.0
/**
 * Faults on purpose before a real wire: the loss laboratory, and jobs that are to be tried on a bad
 * network.
 *
 * <p>Start at {@link io.tombolo.rdma.faulty.FaultyWire}, which stands between a {@link
 * io.tombolo.rdma.reliable.ReliableChannel} and its wire; what goes wrong is said in {@link
 * io.tombolo.rdma.faulty.Faults}, and decided by a {@link io.tombolo.rdma.faulty.FaultyLink}.
 */
package io.tombolo.rdma.faulty;
