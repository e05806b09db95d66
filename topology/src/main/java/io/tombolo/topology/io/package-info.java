// SPDX-License-Identifier: Apache-2.0
/**
 * Topologies from and to text: our own JSON, the XML of NCCL, FlagCX and hwloc, and the one-line
 * grammar of simulated jobs. Input is taken from strangers: every reader has limits, and says what
 * is wrong with a {@link io.tombolo.base.errors.UsageException}.
 *
 * <p>Start at {@link io.tombolo.topology.io.TopologyFile}.
 */
package io.tombolo.topology.io;
