// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.rdma.ChannelRoom;
import io.tombolo.rdma.staged.TransferQueue;

/**
 * One direction of a channel: its messages, cut into stripes that take turns on the rails.
 *
 * <p>Messages are numbered as they are posted; those before {@link #done} are done. Of each of the
 * others a range is known that it lacks: all of it at first, and after a rail's failure the least
 * range that holds all stripes which had not arrived. Both ends know the same ranges, and cut them
 * in the same order. Allocates nothing once as many messages were posted as ever will be at once.
 */
final class Stripes {
  private static final int CAPACITY = ChannelRoom.MAX_POSTED;
  private static final int FIRST_ROOM = 16;

  private final TransferQueue queue;
  private final boolean isSending;
  private final int stripeBytes;
  private final Rides[] rides;
  private StripedMessage[] messages = new StripedMessage[FIRST_ROOM];
  private WeightedTurns turns = new WeightedTurns();
  private long taken;
  private long cutting;
  private long cut;
  private long done;
  private long given;
  private long movedBytes;

  Stripes(TransferQueue queue, boolean isSending, int stripeBytes, int rails) {
    this.queue = queue;
    this.isSending = isSending;
    this.stripeBytes = stripeBytes;
    rides = new Rides[rails];
    for (int rail = 0; rail < rails; rail++) {
      rides[rail] = new Rides();
    }
  }

  /** Messages that were posted. */
  long taken() {
    return taken;
  }

  /** Messages that are done: those of lower numbers. */
  long done() {
    return done;
  }

  /** The message of that number, which is not done. */
  StripedMessage message(long number) {
    return messages[at(number)];
  }

  /** How many rails there are. */
  int rails() {
    return rides.length;
  }

  /** Whether the channel's user has not been told of all that are done. */
  boolean hasUnreported() {
    return queue.hasUnreported();
  }

  /** What the stripes of this epoch over {@code rail} have come to. */
  Rides rides(int rail) {
    return rides[rail];
  }

  /** Whether some have not arrived. */
  boolean isUnderWay() {
    for (int rail = 0; rail < rides.length; rail++) {
      if (!rides[rail].isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Bytes that have arrived, of which none counts twice. */
  long movedBytes() {
    long sum = movedBytes;
    for (long number = done; number < taken; number++) {
      sum += message(number).movedBytes();
    }
    return sum;
  }

  /** Takes what was posted, and gives the rails what they have room for; how many stripes. */
  int feed(RailChannels channels) {
    while (queue.hasCurrent() && taken - done < CAPACITY) {
      take();
    }
    int fed = 0;
    while (cutting < taken && feedOne(channels)) {
      fed++;
    }
    return fed;
  }

  private void take() {
    if (taken - done == messages.length) {
      grow();
    }
    int at = at(taken);
    if (messages[at] == null) {
      messages[at] = new StripedMessage();
    }
    messages[at].set(queue.current());
    queue.finishCurrent();
    if (cutting == taken++) {
      cut = 0;
    }
  }

  private void grow() {
    StripedMessage[] smaller = messages;
    messages = new StripedMessage[2 * smaller.length];
    for (long number = done; number < taken; number++) {
      messages[at(number)] = smaller[(int) number & smaller.length - 1];
    }
  }

  private int at(long number) {
    return (int) number & messages.length - 1;
  }

  /** Whether the next stripe has found room. */
  private boolean feedOne(RailChannels channels) {
    StripedMessage message = message(cutting);
    if (message.isWhole()) {
      cutNext();
      return true;
    }
    int bytes = (int) Math.min(stripeBytes, message.to() - cut);
    int rail = turns.next();
    if (!message.ride(channels.get(rail), isSending, cut, bytes)) {
      return false;
    }
    turns.took(rail, bytes);
    rides[rail].add(given++, cutting, cut, bytes);
    cut += bytes;
    if (cut == message.to()) {
      cutNext();
    }
    return true;
  }

  private void cutNext() {
    cutting++;
    cut = cutting < taken ? message(cutting).from() : 0;
  }

  /** The oldest stripe on {@code rail} has arrived. */
  void onArrived(int rail) {
    Rides its = rides[rail];
    checkState(!its.isEmpty(), "a stripe ended that was not on rail %s", rail);
    message(its.message()).arrived(its.bytes());
    its.remove();
  }

  /** Whether the oldest message is cut and all its stripes have arrived. */
  boolean isOldestThrough() {
    return done < cutting && message(done).riding() == 0;
  }

  /** The oldest messages are done whose stripes have arrived, of numbers below {@code end}. */
  int finishThrough(long end) {
    int finished = 0;
    for (; done < end && isOldestThrough(); finished++) {
      finishOldest();
    }
    return finished;
  }

  /** All messages of numbers below {@code end} are done, and nothing touches their memory. */
  void finishUpTo(long end) {
    while (done < end) {
      finishOldest();
    }
  }

  private void finishOldest() {
    movedBytes += message(done).movedBytes();
    message(done++).clear();
    queue.complete();
  }

  /**
   * The channels are closed, and nothing touches memory any more: works out what each message
   * lacks.
   */
  void stop() {
    for (long number = done; number < cutting; number++) {
      message(number).allGiven();
    }
    if (cutting < taken) {
      message(cutting).givenUpTo(cut);
    }
    for (Rides each : rides) {
      for (; !each.isEmpty(); each.remove()) {
        message(each.message()).lost(each.offset(), each.bytes());
      }
    }
    for (long number = done; number < taken; number++) {
      message(number).recount();
    }
  }

  /** Begins again with the oldest message, over rails of these weights. */
  void restart(WeightedTurns fresh) {
    turns = fresh;
    given = 0;
    for (Rides each : rides) {
      each.restart();
    }
    cutting = done;
    cut = taken > done ? message(done).from() : 0;
  }
}
