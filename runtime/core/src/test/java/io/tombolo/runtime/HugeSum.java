package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.time.Duration;

/** One all_reduce of more elements than an int counts, in place, and a look at each of them. */
final class HugeSum {
  private static final long COUNT = (1L << 31) + 1;
  private static final int CHUNK = 16 << 20;
  private static final Duration LIMIT = Duration.ofMinutes(9);

  private final Communicator all;

  HugeSum(Communicator all) {
    this.all = all;
  }

  void run() {
    try (Stream stream = all.device().newStream();
        DeviceMemory memory = all.device().allocate(COUNT);
        PinnedStage stage = new PinnedStage(all.device(), stream, CHUNK, LIMIT)) {
      for (long from = 0; from < COUNT; from += CHUNK) {
        int length = (int) Math.min(CHUNK, COUNT - from);
        for (int i = 0; i < length; i++) {
          stage.bytes().put(i, (byte) given(all.rank(), from + i));
        }
        stage.write(memory.address() + from, length);
      }
      long began = System.nanoTime();
      all.allReduce(memory.address(), memory.address(), COUNT, DataType.I8, ReduceOp.SUM, stream)
          .await(LIMIT);
      System.out.printf(
          "all_reduce of %d i8 in place: %.1f s%n", COUNT, (System.nanoTime() - began) / 1e9);
      for (long from = 0; from < COUNT; from += CHUNK) {
        int length = (int) Math.min(CHUNK, COUNT - from);
        stage.read(memory.address() + from, length);
        for (int i = 0; i < length; i++) {
          check(from + i, stage.bytes().get(i));
        }
      }
    }
  }

  private void check(long index, byte found) {
    int sum = 0;
    for (int rank = 0; rank < all.size(); rank++) {
      sum += given(rank, index);
    }
    if (found != (byte) sum) {
      throw new IllegalStateException(
          "rank %d: element %d is %d, not %d".formatted(all.rank(), index, found, (byte) sum));
    }
  }

  /** Another value 2³¹ elements on, so that an index that wraps is seen. */
  private static int given(int rank, long index) {
    return (int) ((index * 7 + (index >>> 24) * 3 + rank * 5L) % 61);
  }
}
