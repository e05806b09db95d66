// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.gobackn;

/**
 * The sending side: chunks of a stream by number; on a complaint, and when nothing is heard, sends
 * everything again from the oldest that is not acknowledged.
 */
public final class GoBackNSender {
  /** Sends a chunk. */
  public interface Chunks {
    /** Sends chunk {@code psn}; false if there is no room now. */
    boolean send(long psn);
  }

  private final Chunks chunks;
  private final long count;
  private final int windowChunks;
  private final long timeoutNs;
  private long oldest;
  private long next;
  private long progressNs;
  private long sent;
  private long timeouts;

  /**
   * Sends {@code count} chunks.
   *
   * @param windowChunks most that are sent and not acknowledged
   * @param timeoutNs silence after which all of them are sent again
   */
  public GoBackNSender(Chunks chunks, long count, int windowChunks, long timeoutNs, long nowNs) {
    this.chunks = chunks;
    this.count = count;
    this.windowChunks = windowChunks;
    this.timeoutNs = timeoutNs;
    progressNs = nowNs;
  }

  /** The receiver has everything below {@code upTo}, and has complained about a gap, or not. */
  public void onAnswer(long upTo, boolean complaint, long nowNs) {
    if (upTo > oldest) {
      oldest = upTo;
      progressNs = nowNs;
    }
    if (complaint && upTo == oldest) {
      next = oldest;
    }
    next = Math.max(next, oldest);
  }

  /** Sends what may be sent; how many chunks. */
  public int poll(long nowNs) {
    if (nowNs - progressNs >= timeoutNs) {
      progressNs = nowNs;
      next = oldest;
      timeouts++;
    }
    int now = 0;
    while (next < Math.min(count, oldest + windowChunks) && chunks.send(next)) {
      next++;
      now++;
    }
    sent += now;
    return now;
  }

  /** Chunks sent so far, repeats included. */
  public long sentChunks() {
    return sent;
  }

  /** Times that nothing was heard for too long. */
  public long timeouts() {
    return timeouts;
  }

  /** Whether everything is acknowledged. */
  public boolean isDone() {
    return oldest >= count;
  }
}
