// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;

/** Cuts posted messages into slots. Several slots fill at once; they are published in order. */
final class SendSide {
  private final SlotLink link;
  private final SlotRing ring;
  private final TransferQueue queue;
  private final SlotCopies copies;

  /** The message of each slot, by its place in the queue. */
  private final long[] places;

  /** Where in it the slot's payload begins. */
  private final long[] begins;

  private long filled;
  private long published;
  private long completed;
  private long copiedNow;
  private long directBytes;

  SendSide(SlotLink link, TransferQueue queue) {
    this.link = link;
    this.ring = link.out();
    this.queue = queue;
    this.copies = new SlotCopies(ring.slots());
    this.places = new long[ring.slots()];
    this.begins = new long[ring.slots()];
  }

  /** Moves what can be moved; returns how many slots took a step. */
  int progress() {
    long refused = link.refused();
    if (refused != SlotLink.NONE) {
      return isQuiet() ? takeBack(refused) : 0; // what is still copied would spoil the slots
    }
    return complete() + fill() + publish() + complete();
  }

  long copiedBytes() {
    return copies.copiedBytes();
  }

  long engineBytes() {
    return copies.engineBytes();
  }

  long directBytes() {
    return directBytes;
  }

  /** Whether no copy touches a slot. */
  boolean isQuiet() {
    return copies.isQuiet();
  }

  private int fill() {
    long before = filled;
    copiedNow = 0;
    long end = Math.min(link.claimable(), completed + ring.slots()); // whose last use is over
    for (; filled < end && mayFill(); filled++) {
      fillSlot(filled, queue.current());
    }
    return (int) (filled - before);
  }

  private boolean mayFill() {
    return queue.hasCurrent() && copiedNow < SlotCopies.MAX_COPIED_BYTES;
  }

  private void fillSlot(long sequence, PostedMessage message) {
    int slot = ring.index(sequence);
    places[slot] = queue.currentPlace();
    begins[slot] = message.moved();
    long rest = message.sizeBytes() - message.moved();
    int borrowed = link.borrow(sequence, message.memory(), message.position(), rest);
    int bytes = borrowed > 0 ? borrowed : (int) Math.min(ring.payloadBytes(), rest);
    SlotHeader.write(
        ring.view(sequence), sequence, message.tag(), message.sizeBytes(), message.moved(), bytes);
    long ticket = LocalMemory.DONE;
    directBytes += borrowed;
    if (borrowed == 0 && bytes > 0) {
      ticket = message.memory().copyOut(message.position(), ring.payload(sequence), bytes);
      copies.count(message.memory(), ring.payload(sequence), bytes);
      copiedNow += ticket == LocalMemory.DONE ? bytes : 0;
    }
    message.advance(bytes);
    copies.start(slot, message.memory(), ticket, bytes, message.isAllMoved());
    if (message.isAllMoved()) {
      queue.finishCurrent();
    }
  }

  /**
   * Cuts all anew that lies from slot {@code from} on: a payload that the peer cannot read may be
   * larger than a slot. None of these messages is done, as what is lent is not handed over.
   */
  private int takeBack(long from) {
    int slots = (int) (filled - from);
    long payloadBytes = 0;
    for (long sequence = from; sequence < published; sequence++) {
      payloadBytes += copies.payloadBytes(ring.index(sequence));
    }
    directBytes -= link.takeBack(from, filled, payloadBytes);
    queue.goBack(places[ring.index(from)], begins[ring.index(from)]);
    filled = from;
    published = from;
    return slots;
  }

  private int publish() {
    long before = published;
    while (published < filled && copies.isDone(ring.index(published))) {
      link.publish(published, copies.payloadBytes(ring.index(published)));
      published++;
    }
    return (int) (published - before);
  }

  private int complete() {
    long before = completed;
    for (long end = link.handedOver(); completed < end; completed++) {
      if (copies.endsMessage(ring.index(completed))) {
        queue.complete();
      }
    }
    return (int) (completed - before);
  }
}
