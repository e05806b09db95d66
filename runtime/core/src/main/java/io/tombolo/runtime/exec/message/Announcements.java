// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.runtime.exec.engine.ChannelEngine;
import io.tombolo.runtime.exec.engine.Engine;

/**
 * The words that go before the messages of one channel, one before each: with them a receive that
 * any rank may serve finds out whose message has come, and takes nothing from the others.
 *
 * <p>A word is a message without bytes, so that the n-th word always goes before the n-th message.
 * One that has been asked for in vain stays asked for: it is that of the next receive from this
 * peer, whatever that is. Used by the agent's thread only.
 */
final class Announcements {
  private final ChannelEngine channel;
  private final Engine.Ended onSent = step -> {};
  private final Engine.Ended onArrived = step -> countArrived();
  private long asked;
  private long arrived;
  private long used;

  /** Those of {@code channel}, which has carried nothing yet. */
  Announcements(ChannelEngine channel) {
    this.channel = channel;
  }

  private void countArrived() {
    arrived++;
  }

  /** Sends the word that goes before the next message; false if there is no room for it now. */
  boolean announce() {
    return channel.sendWord(onSent);
  }

  /** The next word is that of a receive that now begins; false if there is no room for it now. */
  boolean take() {
    if (!isAsked()) {
      return false;
    }
    used++;
    return true;
  }

  /**
   * Whether a message has come, or is on its way, for which no receive has begun.
   *
   * @throws PeerFailedException if there is none, and the peer has gone
   */
  boolean hasArrived() {
    channel.poll();
    return isAsked() && arrived > used;
  }

  private boolean isAsked() {
    if (asked == used && channel.receiveWord(onArrived)) {
      asked++;
    }
    return asked > used;
  }
}
