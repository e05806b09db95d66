// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks on different hosts through UCX, which finds the best network there is: InfiniBand, RoCE or
 * TCP.
 *
 * <p>Start at {@link io.tombolo.rdma.ucx.UcxMedium}. Peers meet, prove themselves and hand over
 * their UCX addresses through a TCP connection, which stays open: its end is how the death of a
 * peer is seen where UCX does not notice. {@link io.tombolo.rdma.ucx.UcxLink} sends each slot as
 * one active message; {@link io.tombolo.rdma.ucx.UcxEngine} is all that touches UCX itself.
 */
package io.tombolo.rdma.ucx;
