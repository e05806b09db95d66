// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.TomboloException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue pairs that have ended and keep their numbers for as long as packets for them may be under
 * way. A UC pair takes the first packet of a message with any sequence number, and an immediate
 * does not say which connection it is of: a late one must not meet the pair of a later connection.
 */
final class RestingPairs implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RestingPairs.class);

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
      QueuePair pair = resting.remove().pair;
      if (!tryDestroy(pair)) {
        fresh.add(pair); // to rest once more, which costs nobody anything
      }
    }
  }

  /** What a device refuses to do to a pair that has ended must fail no channel that is alive. */
  private static boolean tryDestroy(QueuePair pair) {
    try {
      pair.close();
      return true;
    } catch (TomboloException e) {
      log.debug("queue pair {} is tried again: {}", pair.number(), e.getMessage());
      return false;
    }
  }

  /** Whether none rests. */
  boolean isEmpty() {
    return fresh.isEmpty() && resting.isEmpty();
  }

  /** Destroys all; the first that cannot be is an error. */
  @Override
  public void close() {
    fresh.forEach(QueuePair::close);
    resting.forEach(rest -> rest.pair.close());
  }
}
