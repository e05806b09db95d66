// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * What the marks of long queues ask for: the window gives up half of the part of the packets that
 * come marked, smoothed over round trips (DCTCP, RFC 8257 §3.3).
 */
final class MarkMeter {
  private static final double GAIN = 1 / 16.0;

  private double part = 1;
  private long marked;
  private boolean any;

  void onMarks(int packets) {
    marked += packets;
  }

  /** A round trip has ended in which so many chunks arrived. */
  void endRound(long arrivedChunks) {
    any = marked > 0;
    part += GAIN * (Math.min(1, (double) marked / Math.max(1, arrivedChunks)) - part);
    marked = 0;
  }

  /** Whether anything came marked in the latest round trip. */
  boolean any() {
    return any;
  }

  /** The part of the window to keep then. */
  double kept() {
    return 1 - part / 2;
  }
}
