// SPDX-License-Identifier: Apache-2.0
/**
 * How the ranks of a communicator agree, although some of them die meanwhile, and the job's store
 * with them: Paxos (Lamport, "Paxos Made Simple", 2001), whose acceptors are small stores that some
 * of the ranks host.
 *
 * <p>Start at {@link io.tombolo.runtime.consensus.Consensus}; what it does step by step is {@link
 * io.tombolo.runtime.consensus.Course}, which is pure.
 */
package io.tombolo.runtime.consensus;
