// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.base.Ticker;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** The time, the dice and what is to come in a simulated conversation: a seed decides all. */
final class World extends Ticker {
  /** Rounds are up to so long, most of them much shorter. */
  private static final int LONGEST_ROUND_BITS = 23;

  private record Event(long atNs, long number, Runnable what) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNs).thenComparingLong(Event::number));
  private final SplittableRandom random;
  private long nowNs;
  private long number;

  World(long seed) {
    random = new SplittableRandom(seed);
  }

  @Override
  public long read() {
    return nowNs;
  }

  int dice(int bound) {
    return random.nextInt(bound);
  }

  SplittableRandom split() {
    return random.split();
  }

  /** Lets {@code what} happen within so long. */
  void within(long longestNs, Runnable what) {
    at(nowNs + random.nextLong(longestNs), what);
  }

  /** Lets {@code what} happen then. */
  void at(long atNs, Runnable what) {
    events.add(new Event(atNs, number++, what));
  }

  /** Something between nothing and the longest delay, mostly little. */
  long delay(int longestBits) {
    return random.nextLong(1L << (1 + random.nextInt(longestBits)));
  }

  /** A round passes, with what happens in it. */
  void advance() {
    nowNs += delay(LONGEST_ROUND_BITS);
    happen();
  }

  /** All that is still to come happens. */
  void end() {
    while (!events.isEmpty()) {
      nowNs = events.peek().atNs;
      happen();
    }
  }

  private void happen() {
    while (!events.isEmpty() && events.peek().atNs <= nowNs) {
      events.poll().what.run();
    }
  }
}
