// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import com.google.common.io.ByteArrayDataInput;
import com.google.common.io.ByteArrayDataOutput;
import com.google.common.io.ByteStreams;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Brings every rank's result to rank 0 through the job's store, and so not through what is
 * measured. Each rank calls {@link #add} once per row, in the same order. Not thread-safe.
 */
final class Gathering {
  private final Store store;
  private final int rank;
  private final int size;
  private final Duration timeout;
  private int row;

  Gathering(Store store, int rank, int size, Duration timeout) {
    this.store = store.within("bench");
    this.rank = rank;
    this.size = size;
    this.timeout = timeout;
  }

  /**
   * Adds this rank's part of the next row; on rank 0 returns everyone's by rank, elsewhere nothing.
   */
  List<RankRun.Result> add(RankRun.Result mine) {
    int current = row++;
    store.set(key(current, rank), encode(mine));
    if (rank != 0) {
      return ImmutableList.of();
    }
    List<String> keys = IntStream.range(0, size).mapToObj(peer -> key(current, peer)).toList();
    List<byte[]> parts = store.awaitAll(keys, Deadline.after(timeout));
    keys.forEach(store::delete);
    return parts.stream().map(Gathering::decode).toList();
  }

  static byte[] encode(RankRun.Result result) {
    ByteArrayDataOutput out = ByteStreams.newDataOutput();
    out.writeLong(result.processorNs());
    out.writeLong(result.wrong());
    out.writeLong(result.longestCycleNs());
    out.writeLong(result.copiedBytes());
    Breakdown.write(result.cold(), out);
    Breakdown.write(result.times(), out);
    result.breakdown().write(out);
    return out.toByteArray();
  }

  static RankRun.Result decode(byte[] part) {
    ByteArrayDataInput in = ByteStreams.newDataInput(part);
    long processorNs = in.readLong();
    long wrong = in.readLong();
    long longestCycleNs = in.readLong();
    long copiedBytes = in.readLong();
    return new RankRun.Result(
        Breakdown.readTimes(in),
        Breakdown.readTimes(in),
        processorNs,
        wrong,
        longestCycleNs,
        copiedBytes,
        Breakdown.read(in));
  }

  private static String key(int row, int rank) {
    return row + "/" + rank;
  }
}
