// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

/**
 * The way to a peer.
 *
 * @param address where it receives
 * @param marks whether packets say that routers may mark them, ECT(0) of RFC 3168: some paths drop
 *     those, and some clear the field
 */
record UdpPath(UdpAddress address, boolean marks) {}
