// SPDX-License-Identifier: Apache-2.0
/**
 * What fabrics have in common whose bytes software moves through bounded rings of slots: who dials,
 * the proof of the job token, cutting messages into slots, matching, completion, failure.
 *
 * <p>Start at {@link io.tombolo.rdma.staged.StagedFabric}. What differs between fabrics is behind
 * {@link io.tombolo.rdma.staged.Medium}, {@link io.tombolo.rdma.staged.PeerSocket} and {@link
 * io.tombolo.rdma.staged.SlotLink}.
 */
package io.tombolo.rdma.staged;
