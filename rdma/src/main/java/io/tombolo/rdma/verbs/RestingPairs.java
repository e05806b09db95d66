// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Queue pairs that have ended and keep their numbers for as long as packets for them may be under
 * way. A UC pair takes the first packet of a message with any sequence number, and an immediate
 * does not say which connection it is of: a late one must not meet the pair of a later connection.
 */
final class RestingPairs implements AutoCloseable {
  private final Deque<QueuePair> fresh = new ArrayDeque<>();
  private final Deque<Rest> resting = new ArrayDeque<>();

  private record Rest(QueuePair pair, long untilNs) {}

  /** Takes {@code pair}, which has been aborted or reset and has nothing more to do. */
  void add(QueuePair pair) {
    fresh.add(pair);
  }

  /** Destroys those that have rested long enough. */
  void progress(long nowNs) {
    while (!fresh.isEmpty()) {
      resting.add(new Rest(fresh.remove(), nowNs + LossySizing.PACKET_LIFE_NS));
    }
    while (!resting.isEmpty() && nowNs - resting.peek().untilNs >= 0) {
      resting.peek().pair.close(); // one that cannot be destroyed yet is tried again
      resting.remove();
    }
  }

  @Override
  public void close() {
    fresh.forEach(QueuePair::close);
    resting.forEach(rest -> rest.pair.close());
  }
}
