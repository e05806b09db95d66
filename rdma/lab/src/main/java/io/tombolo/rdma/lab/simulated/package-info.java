// SPDX-License-Identifier: Apache-2.0
/**
 * A network that loses, repeats, reorders, delays, clogs and partitions by seed, in simulated time:
 * the same seed gives the same run, to the nanosecond.
 *
 * <p>Start at {@link io.tombolo.rdma.lab.simulated.SimulatedNetwork}; what may go wrong is a {@link
 * io.tombolo.rdma.faulty.FaultPlan}; {@link io.tombolo.rdma.lab.simulated.SimulatedEndpoint} runs a
 * {@link io.tombolo.rdma.reliable.ReliableChannel} on it.
 */
package io.tombolo.rdma.lab.simulated;
