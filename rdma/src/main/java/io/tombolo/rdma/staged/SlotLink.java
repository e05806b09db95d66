// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.WakeUps;
import java.io.IOException;

/**
 * The two rings of a channel, and the way of filled slots to the peer.
 *
 * <p>Slots are named by sequence, 0, 1, 2, …; the ring tells where one lies. Going out, a slot is
 * claimed, filled, published and handed over; coming in, it arrives, is read and released. Used by
 * one thread; never blocks.
 */
public interface SlotLink extends AutoCloseable {
  /** No slot: there is none that the peer cannot read. */
  long NONE = -1;

  /** Whether the rings are there; the other methods are for a link that is ready. */
  boolean isReady();

  /** What it waits for while it is not ready, for the message of a missed deadline. */
  default String doing() {
    return "its slots are not there yet";
  }

  /** Moves what can be moved; how many slots (or steps towards being ready) that was. */
  int progress() throws IOException;

  /** The slots that go out. */
  SlotRing out();

  /** The slots that come in. */
  SlotRing in();

  /** Outgoing slots below this sequence may be filled. */
  long claimable();

  /**
   * Takes the payload of slot {@code sequence} from {@code source} itself when it is published, if
   * the link can read it: how many bytes of the {@code rest} of its message, which may be more than
   * the ring's slots carry; 0 if the slot has to be filled.
   */
  default int borrow(long sequence, LocalMemory source, long position, long rest) {
    return 0;
  }

  /**
   * The first slot that the peer takes only once it {@linkplain #takeBack was taken back}, as it
   * cannot read what was borrowed; {@link #NONE} as a rule.
   */
  default long refused() {
    return NONE;
  }

  /**
   * Takes back all slots from {@code from}, which is {@link #refused}, to those below {@code end}:
   * they are claimed, and will be filled and published anew. Nothing is borrowed from now on.
   *
   * @param payloadBytes of those that had been published
   * @return bytes of all that had been borrowed
   */
  default long takeBack(long from, long end, long payloadBytes) {
    throw new IllegalStateException("nothing is refused here");
  }

  /** Gives the slot {@code sequence}, filled, to the wire. Sequences are published in order. */
  void publish(long sequence, int payloadBytes);

  /** Outgoing slots below this sequence are beyond the reach of this process's end. */
  long handedOver();

  /** Payload bytes of the slots handed over. */
  long sentBytes();

  /** Whether it wants to be told where payloads will be taken. */
  default boolean takesAims() {
    return false;
  }

  /**
   * Says, before a slot arrives, to where its payload will be taken: the link may put it there at
   * once. Whether it will try; {@link #isPlaced} tells whether it did.
   */
  default boolean aim(long sequence, LocalMemory target, long position, int bytes) {
    return false;
  }

  /** Whether the payload of an arrived slot is where it was aimed to, and not in the ring. */
  default boolean isPlaced(long sequence) {
    return false;
  }

  /** Whether the payload of an arrived slot is still in the peer's memory, and not in the ring. */
  default boolean isLent(long sequence) {
    return false;
  }

  /** The most that a slot carries whose payload is lent. */
  default int mostLentBytes() {
    return 0;
  }

  /**
   * Has a processor copy the payload of the slot {@code sequence}, which {@linkplain #isLent is
   * lent}, to where it belongs. If that does not work, false: then the slot has not {@linkplain
   * #arrived} any more, and may do so once the peer has taken it back and filled it. What was
   * copied for a message counts only when the last payload of it that is lent was copied, too.
   *
   * @param rest bytes of the message behind these
   */
  default boolean fetch(long sequence, LocalMemory target, long position, int bytes, long rest) {
    throw new IllegalStateException("nothing is lent here");
  }

  /** Incoming slots below this sequence are complete. */
  long arrived();

  /** Gives the incoming slot {@code sequence} back to the wire. Sequences are released in order. */
  void release(long sequence);

  /** Whether the peer's end is closed; slots that have arrived can still be read. */
  boolean isPeerGone() throws IOException;

  /**
   * What is known of the peer's end once it is gone, for people.
   *
   * @throws io.tombolo.base.errors.FabricException if it went because of this side's NIC
   */
  default String howPeerWent() {
    return "the peer closed its end, or its process died; look at its output";
  }

  /** Whether the wire touches neither rings nor messages any more, after {@link #hangUp}. */
  default boolean isQuiet() {
    return true;
  }

  /**
   * As {@link io.tombolo.rdma.Fabric#awaits}, of a link that is ready, while no message of this
   * side is under way.
   */
  default void awaits(WakeUps wakeUps) {
    wakeUps.soon();
  }

  /**
   * Closes this end of the connection, so that the peer sees it; the rings stay. If a device
   * refuses that, as {@link MessageLink#hangUp}.
   */
  void hangUp();

  /**
   * Hangs up and frees the rings; no copy may touch them any more. If a device refuses something,
   * as {@link MessageLink#close}.
   */
  @Override
  void close();

  /** As {@link MessageLink#abandon}, of the rings. */
  default void abandon() {
    hangUp();
  }
}
