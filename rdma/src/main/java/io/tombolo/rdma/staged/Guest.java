// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.rdma.SlotGeometry;

/**
 * A connection from a peer that has proved the token.
 *
 * @param socket the connection
 * @param geometry the ring both sides can do
 * @param onTrial whether both sides may leave what the channel was to go by
 */
record Guest(PeerSocket socket, SlotGeometry geometry, boolean onTrial) {}
