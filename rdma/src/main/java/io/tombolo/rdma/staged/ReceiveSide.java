// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;

/**
 * Empties arrived slots into posted messages. Several slots empty at once; they are released in
 * order.
 */
final class ReceiveSide {
  private final SlotLink link;
  private final SlotRing ring;
  private final TransferQueue queue;
  private final SlotCopies copies;
  private final SlotHeader header = new SlotHeader();
  private long aimed;
  private long taken;
  private long released;
  private long receivedBytes;
  private long copiedNow;
  private long directBytes;

  ReceiveSide(SlotLink link, TransferQueue queue) {
    this.link = link;
    this.ring = link.in();
    this.queue = queue;
    this.copies = new SlotCopies(ring.slots());
  }

  /** Moves what can be moved; returns how many slots took a step. */
  int progress() {
    aim();
    int steps = release() + take() + release();
    aim(); // so that who is told of a released slot has been told where its next payload belongs
    return steps;
  }

  /** Bytes taken out of slots. */
  long receivedBytes() {
    return receivedBytes;
  }

  /** Those of them that a processor copied, from the ring or the peer's memory. */
  long copiedBytes() {
    return copies.copiedBytes();
  }

  /** Those of them that an engine of the memory's own copied from the ring. */
  long engineBytes() {
    return copies.engineBytes();
  }

  /** Those of them that the wire put in place. */
  long directBytes() {
    return directBytes;
  }

  /** Whether no copy touches a slot. */
  boolean isQuiet() {
    return copies.isQuiet();
  }

  /** Whether every slot that has arrived is back with the wire. */
  boolean isDrained() {
    return released == link.arrived();
  }

  /**
   * Tells the link where the payloads of the next slots belong, if it wants to know: then slots
   * carry no more than the ring's do. It is never behind {@link #take}: both stop at the last
   * message that is posted.
   */
  private void aim() {
    if (!link.takesAims()) {
      return;
    }
    for (long end = released + ring.slots(); aimed < end && queue.hasAhead(); aimed++) {
      PostedMessage message = queue.ahead();
      int bytes = (int) Math.min(ring.payloadBytes(), message.sizeBytes() - message.aimed());
      if (bytes > 0) {
        link.aim(aimed, message.memory(), message.aimPosition(), bytes);
      }
      message.advanceAim(bytes);
      if (message.isAllAimed()) {
        queue.finishAhead();
      }
    }
  }

  private int take() {
    long before = taken;
    copiedNow = 0;
    long end = link.arrived();
    while (taken < end && mayTake() && takeSlot(taken, queue.current())) {
      taken++;
    }
    return (int) (taken - before);
  }

  private boolean mayTake() {
    return queue.hasCurrent() && copiedNow < SlotCopies.MAX_COPIED_BYTES;
  }

  /** Whether that worked; else the slot has not arrived after all. */
  private boolean takeSlot(long sequence, PostedMessage message) {
    boolean isLent = link.isLent(sequence); // once: the peer may write the header at any time
    header.read(ring.view(sequence), isLent ? link.mostLentBytes() : ring.payloadBytes());
    header.match(sequence, message);
    int bytes = header.payloadBytes();
    long ticket = LocalMemory.DONE;
    if (bytes > 0 && link.isPlaced(sequence)) {
      directBytes += bytes;
    } else if (bytes > 0 && isLent) {
      long rest = message.sizeBytes() - message.moved() - bytes;
      if (!link.fetch(sequence, message.memory(), message.position(), bytes, rest)) {
        return false;
      }
      copies.countByProcessor(bytes);
      copiedNow += bytes;
    } else if (bytes > 0) {
      ticket = message.memory().copyIn(message.position(), ring.payload(sequence), bytes);
      copies.count(message.memory(), ring.payload(sequence), bytes);
      copiedNow += ticket == LocalMemory.DONE ? bytes : 0;
    }
    message.advance(bytes);
    receivedBytes += bytes;
    copies.start(ring.index(sequence), message.memory(), ticket, bytes, message.isAllMoved());
    if (message.isAllMoved()) {
      queue.finishCurrent();
    }
    return true;
  }

  private int release() {
    long before = released;
    while (released < taken && copies.isDone(ring.index(released))) {
      if (copies.endsMessage(ring.index(released))) {
        queue.complete();
      }
      link.release(released);
      released++;
    }
    return (int) (released - before);
  }
}
