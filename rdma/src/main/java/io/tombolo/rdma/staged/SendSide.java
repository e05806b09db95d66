// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;

/** Cuts posted messages into slots. Several slots fill at once; they are published in order. */
final class SendSide {
  private final SlotLink link;
  private final SlotRing ring;
  private final TransferQueue queue;
  private final SlotCopies copies;
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
  }

  /** Moves what can be moved; returns how many slots took a step. */
  int progress() {
    return complete() + fill() + publish() + complete();
  }

  long copiedBytes() {
    return copies.copiedBytes() + link.returnedBytes();
  }

  long engineBytes() {
    return copies.engineBytes();
  }

  long directBytes() {
    return directBytes - link.returnedBytes();
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
    int bytes = (int) Math.min(ring.payloadBytes(), message.sizeBytes() - message.moved());
    SlotHeader.write(
        ring.view(sequence), sequence, message.tag(), message.sizeBytes(), message.moved(), bytes);
    long ticket = LocalMemory.DONE;
    if (bytes > 0 && link.borrow(sequence, message.memory(), message.position(), bytes)) {
      directBytes += bytes;
    } else if (bytes > 0) {
      ticket = message.memory().copyOut(message.position(), ring.payload(sequence), bytes);
      copies.count(message.memory(), ring.payload(sequence), bytes);
      copiedNow += ticket == LocalMemory.DONE ? bytes : 0;
    }
    message.advance(bytes);
    copies.start(ring.index(sequence), message.memory(), ticket, bytes, message.isAllMoved());
    if (message.isAllMoved()) {
      queue.finishCurrent();
    }
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
