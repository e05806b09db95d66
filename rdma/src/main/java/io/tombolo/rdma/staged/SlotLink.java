package io.tombolo.rdma.staged;

import java.io.IOException;

/**
 * The two rings of a channel, and the way of filled slots to the peer.
 *
 * <p>Slots are named by sequence, 0, 1, 2, …; the ring tells where one lies. Going out, a slot is
 * claimed, filled, published and handed over; coming in, it arrives, is read and released. Used by
 * one thread; never blocks.
 */
public interface SlotLink extends AutoCloseable {
  /** Whether the rings are there; the other methods are for a link that is ready. */
  boolean isReady();

  /** Moves what can be moved; how many slots (or steps towards being ready) that was. */
  int progress() throws IOException;

  /** The slots that go out. */
  SlotRing out();

  /** The slots that come in. */
  SlotRing in();

  /** Outgoing slots below this sequence may be filled. */
  long claimable();

  /** Gives the slot {@code sequence}, filled, to the wire. Sequences are published in order. */
  void publish(long sequence, int payloadBytes);

  /** Outgoing slots below this sequence are beyond the reach of this process's end. */
  long handedOver();

  /** Payload bytes of the slots handed over. */
  long sentBytes();

  /** Incoming slots below this sequence are complete. */
  long arrived();

  /** Gives the incoming slot {@code sequence} back to the wire. Sequences are released in order. */
  void release(long sequence);

  /** Whether the peer's end is closed; slots that have arrived can still be read. */
  boolean isPeerGone() throws IOException;

  /** Closes this end of the connection, so that the peer sees it; the rings stay. */
  void hangUp();

  /** Hangs up and frees the rings; no copy may touch them any more. */
  @Override
  void close();
}
