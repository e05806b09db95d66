// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.rdma.ChannelRoom;
import java.util.ArrayDeque;
import java.util.Queue;

/** One direction of a channel, moved slot by slot. */
final class LooseChannel {
  private final ChannelRoom room;
  private final Queue<Message> sending = new ArrayDeque<>();
  private final Queue<Message> receiving = new ArrayDeque<>();
  private int onTheWay;

  /** Slots of a message that one side has still to fill, or to empty. */
  private static final class Message {
    private long slots;

    Message(long slots) {
      this.slots = slots;
    }
  }

  LooseChannel(ChannelRoom room) {
    this.room = room;
  }

  /** Posts a send; tells whether its memory is no longer needed. */
  Done send(long sizeBytes) {
    return post(sending, sizeBytes);
  }

  /** Posts a receive; tells whether it is complete. */
  Done receive(long sizeBytes) {
    return post(receiving, sizeBytes);
  }

  /** Asks how a message fares. */
  interface Done {
    boolean isDone();
  }

  private Done post(Queue<Message> side, long sizeBytes) {
    Message message = new Message(Math.max(1, -Math.floorDiv(-sizeBytes, room.slotBytes())));
    side.add(message);
    return () -> {
      move();
      return message.slots == 0;
    };
  }

  private void move() {
    while (fill() || empty()) {}
  }

  /** Without slots, filling one is emptying it. */
  private boolean fill() {
    if (sending.isEmpty() || (onTheWay == room.slots() && (onTheWay > 0 || receiving.isEmpty()))) {
      return false;
    }
    takeOne(sending);
    onTheWay++;
    return room.slots() > 0 || empty();
  }

  private boolean empty() {
    if (onTheWay == 0 || receiving.isEmpty()) {
      return false;
    }
    takeOne(receiving);
    onTheWay--;
    return true;
  }

  private static void takeOne(Queue<Message> side) {
    if (--side.element().slots == 0) {
      side.remove();
    }
  }
}
