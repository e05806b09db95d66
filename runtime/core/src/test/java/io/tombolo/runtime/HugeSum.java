// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.runtime.plan.Reduction;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.IntUnaryOperator;

/**
 * One all_reduce of more elements than an int counts, in place, and a look at each of them. Values
 * repeat, so that chunks are filled and compared whole; each chunk begins elsewhere in the pattern.
 */
final class HugeSum {
  private static final long COUNT = (1L << 31) + 1;
  private static final int CHUNK = 16 << 20;
  private static final int PERIOD = 61;
  private static final Duration LIMIT = Duration.ofMinutes(9);

  private final Communicator all;

  HugeSum(Communicator all) {
    this.all = all;
  }

  private interface Chunk {
    void at(long from, int length);
  }

  void run() {
    try (Stream stream = all.device().newStream();
        DeviceMemory memory = all.device().allocate(COUNT);
        PinnedStage stage = new PinnedStage(all.device(), stream, CHUNK, LIMIT)) {
      long began = System.nanoTime();
      byte[] given = pattern(i -> given(all.rank(), i));
      chunks(
          (from, length) -> {
            stage.bytes().put(given, phase(from), length);
            stage.write(memory.address() + from, length);
          });
      long filled = System.nanoTime();
      DeviceBuffer vector = DeviceBuffer.of(all.device(), memory, DataType.I8);
      all.allReduce(vector, Reduction.sum(), stream).await(LIMIT);
      System.out.printf(
          "%d i8 in place: filled in %.1f s, summed in %.1f s%n",
          COUNT, (filled - began) / 1e9, (System.nanoTime() - filled) / 1e9);
      byte[] sums = pattern(this::sum);
      chunks(
          (from, length) -> {
            stage.read(memory.address() + from, length);
            check(from, stage.bytes().limit(length), ByteBuffer.wrap(sums, phase(from), length));
          });
    }
  }

  private static void chunks(Chunk each) {
    for (long from = 0; from < COUNT; from += CHUNK) {
      each.at(from, (int) Math.min(CHUNK, COUNT - from));
    }
  }

  private void check(long from, ByteBuffer found, ByteBuffer wanted) {
    int wrong = wanted.mismatch(found);
    if (wrong >= 0) {
      throw new IllegalStateException(
          "rank %d: element %d is %d, not %d"
              .formatted(
                  all.rank(),
                  from + wrong,
                  found.get(wrong),
                  wanted.get(wanted.position() + wrong)));
    }
  }

  private int sum(int index) {
    int sum = 0;
    for (int rank = 0; rank < all.size(); rank++) {
      sum += given(rank, index);
    }
    return sum;
  }

  /** Squares, so that a place and its neighbour differ; of each rank others. */
  private static int given(int rank, int index) {
    int place = (index + 9 * rank) % PERIOD;
    return place * place % PERIOD;
  }

  /** A chunk of values, and a period more to begin anywhere in. */
  private static byte[] pattern(IntUnaryOperator value) {
    byte[] pattern = new byte[CHUNK + PERIOD];
    for (int i = 0; i < pattern.length; i++) {
      pattern[i] = (byte) value.applyAsInt(i);
    }
    return pattern;
  }

  /** Another one 2³¹ elements on, and for neighbours, so that an index that wraps is seen. */
  private static int phase(long from) {
    return (int) ((from + from / CHUNK * 3) % PERIOD);
  }
}
