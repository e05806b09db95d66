// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import io.tombolo.rdma.SlotGeometry;
import java.util.Optional;

/**
 * A connection whose two ends have proved themselves.
 *
 * @param peer the rank at the other end
 * @param channelId which of the channels between the two
 * @param socket the connection, the new owner's to close
 * @param geometry the ring both sides can do
 * @param dialled whether this side dialled
 * @param trial when the channel must be open, if both sides may leave what it was to go by
 */
public record Joined(
    int peer,
    long channelId,
    PeerSocket socket,
    SlotGeometry geometry,
    boolean dialled,
    Optional<Deadline> trial) {

  /** A connection of which nothing is tried. */
  public Joined(
      int peer, long channelId, PeerSocket socket, SlotGeometry geometry, boolean dialled) {
    this(peer, channelId, socket, geometry, dialled, Optional.empty());
  }

  /** The same for what goes through {@code other}. */
  Joined through(PeerSocket other) {
    return new Joined(peer, channelId, other, geometry, dialled);
  }
}
