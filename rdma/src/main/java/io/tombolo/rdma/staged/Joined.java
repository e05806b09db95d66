// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.rdma.SlotGeometry;

/**
 * A connection whose two ends have proved themselves.
 *
 * @param peer the rank at the other end
 * @param channelId which of the channels between the two
 * @param socket the connection, the new owner's to close
 * @param geometry the ring both sides can do
 * @param dialled whether this side dialled
 */
public record Joined(
    int peer, long channelId, PeerSocket socket, SlotGeometry geometry, boolean dialled) {}
