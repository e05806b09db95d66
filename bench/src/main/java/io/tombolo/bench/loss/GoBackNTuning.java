// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.rdma.lab.gobackn.GoBackNSender;

/**
 * What go-back-N does best with on a link: a window a fifth above what the link holds (the more,
 * the more it repeats), and a timeout of four round trips.
 *
 * @param trial what is carried
 * @param windowChunks most that are sent and not acknowledged
 * @param timeoutNs silence after which all of them are sent again
 */
record GoBackNTuning(Trial trial, int windowChunks, long timeoutNs) {
  private static final double NS_PER_SECOND = 1e9;
  private static final double OVER_BDP = 1.2;
  private static final int MIN_WINDOW_CHUNKS = 16;
  private static final int UNLIMITED_WINDOW_CHUNKS = 256;
  private static final int ROUND_TRIPS = 4;
  private static final long MIN_TIMEOUT_NS = 2_000_000;

  static GoBackNTuning of(Trial trial) {
    double bdpBytes = trial.plan().rateBytesPerSecond() * (trial.roundTripNs() / NS_PER_SECOND);
    int window =
        trial.plan().rateBytesPerSecond() == 0
            ? UNLIMITED_WINDOW_CHUNKS
            : (int) Math.max(MIN_WINDOW_CHUNKS, OVER_BDP * bdpBytes / trial.packetBytes());
    long timeoutNs = Math.max(MIN_TIMEOUT_NS, ROUND_TRIPS * trial.roundTripNs());
    return new GoBackNTuning(trial, window, timeoutNs);
  }

  /** What came of it. */
  LossResult outcome(
      String fabric, String protocol, GoBackNSender sender, long wireBytes, long tookNs) {
    double seconds = tookNs / NS_PER_SECOND;
    double goodput = trial.volumeBytes() / seconds;
    long repeats = sender.sentChunks() - trial.packets();
    return new LossResult(
        fabric,
        protocol,
        trial.plan().lossProbability(),
        goodput,
        trial.optimum() > 0 ? goodput * 100 / trial.optimum() : null,
        seconds,
        trial.volumeBytes(),
        wireBytes,
        sender.sentChunks() / seconds,
        0,
        Math.max(0, repeats),
        0,
        sender.timeouts(),
        0,
        Recovery.none(),
        null);
  }
}
