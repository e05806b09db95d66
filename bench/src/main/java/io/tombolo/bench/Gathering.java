package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.Store;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

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
    ByteBuffer bytes =
        ByteBuffer.allocate(Long.BYTES + result.times().getNeededByteBufferCapacity());
    bytes.putLong(result.wrong());
    result.times().encodeIntoCompressedByteBuffer(bytes);
    return java.util.Arrays.copyOf(bytes.array(), bytes.position());
  }

  static RankRun.Result decode(byte[] part) {
    ByteBuffer bytes = ByteBuffer.wrap(part);
    long wrong = bytes.getLong();
    try {
      return new RankRun.Result(Histogram.decodeFromCompressedByteBuffer(bytes, 0), wrong);
    } catch (DataFormatException e) {
      throw new io.tombolo.base.errors.CorruptException(
          "a rank's times came back damaged from the store", e);
    }
  }

  private static String key(int row, int rank) {
    return row + "/" + rank;
  }
}
