// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.rdma.Channel;
import io.tombolo.rdma.ProtocolCounters;
import java.util.function.LongSupplier;

/** Counts messages that have arrived, and payload since the warm-up was over. */
final class Arrived implements Channel.Completions {
  private static final double NS_PER_SECOND = 1e9;

  private final Trial trial;
  private final LongSupplier clock;
  private final LongSupplier receivedBytes;
  private final AllocationMeter allocations = new AllocationMeter();
  private final long startNs;
  private int sent;
  private int received;
  private long warmNs;
  private long warmBytes;
  private long endNs;
  private long endBytes;

  Arrived(Trial trial, LongSupplier clock, LongSupplier receivedBytes) {
    this.trial = trial;
    this.clock = clock;
    this.receivedBytes = receivedBytes;
    startNs = clock.getAsLong();
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    sent++;
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    if (++received == trial.warmUp()) {
      warmNs = clock.getAsLong();
      warmBytes = receivedBytes.getAsLong();
      allocations.start();
    }
    if (received == trial.messages()) {
      allocations.stop();
      endNs = clock.getAsLong();
      endBytes = receivedBytes.getAsLong();
    }
  }

  /** Heap that a message took after the warm-up, on both ends together, in bytes. */
  double allocatedBytesPerMessage() {
    return allocations.perMessage(trial.messages() - trial.warmUp());
  }

  boolean isDone() {
    return received == trial.messages() && sent == trial.messages();
  }

  /** What came of it, with the counters of the sending end. */
  LossResult outcome(
      String fabric,
      String protocol,
      long wireBytes,
      ProtocolCounters counters,
      Recovery recovery) {
    double goodput =
        (endBytes - warmBytes)
            * NS_PER_SECOND
            / Math.max(1, endNs - (warmNs == 0 ? startNs : warmNs));
    double seconds = (endNs - startNs) / NS_PER_SECOND;
    return new LossResult(
        fabric,
        protocol,
        trial.plan().lossProbability(),
        goodput,
        trial.optimum() > 0 ? goodput * 100 / trial.optimum() : null,
        seconds,
        trial.volumeBytes(),
        wireBytes,
        counters.chunksSent / seconds,
        counters.resentByTime,
        counters.resentByCount,
        counters.resentByProbe,
        counters.resentByTimeout,
        counters.spuriousResends,
        recovery,
        null);
  }
}
