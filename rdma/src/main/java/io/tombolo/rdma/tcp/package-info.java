// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks on different hosts through TCP, staged through host memory.
 *
 * <p>Start at {@link io.tombolo.rdma.tcp.TcpMedium}; {@link io.tombolo.rdma.tcp.TcpLink} is the
 * stream of slots.
 */
package io.tombolo.rdma.tcp;
