// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Reduction;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

/**
 * Two ranks of two clusters combine random bits by every operator of every type: the result is what
 * the host's kernels make of the two vectors, and the device has done all of it, or nothing.
 */
final class EveryReduction {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int[] COUNTS = {1, 5003};
  private static final long SEED = 20266;

  private final Communicator all;
  private final boolean byDevice;
  private long planned;

  EveryReduction(Communicator all, boolean byDevice) {
    this.all = all;
    this.byDevice = byDevice;
  }

  void run() {
    System.out.println("every reduction by the " + all.reductions() + ", seed " + SEED);
    if (all.size() != 2 || all.clustering().clusters().size() != 2) {
      throw new IllegalArgumentException("this takes two clusters of one rank");
    }
    for (DataType type : DataType.values()) {
      for (ReduceOp op : ReduceOp.values()) {
        for (int count : COUNTS) {
          if (op.appliesTo(type)) {
            check(op, type, count);
          }
        }
      }
    }
    long done = all.activity().deviceReductions();
    if (done != (byDevice ? planned : 0) || planned == 0) {
      throw new IllegalStateException(done + " reductions by the device, " + planned + " planned");
    }
  }

  private void check(ReduceOp op, DataType type, int count) {
    int bytes = count * type.sizeBytes();
    byte[] found = new byte[bytes];
    try (Stream stream = all.device().newStream();
        DeviceArray vector = new DeviceArray(all.device(), stream, bytes)) {
      vector.bytes().put(given(all.rank(), op, type, bytes));
      vector.upload();
      all.allReduce(vector.buffer(type, count), new Reduction.By(op), stream).await(LIMIT);
      vector.download();
      vector.bytes().get(found);
    }
    byte[] wanted = combined(op, type, count);
    int wrong = Arrays.mismatch(found, wanted);
    if (wrong >= 0) {
      throw new IllegalStateException(
          "rank %d, %s of %d %s: byte %d is %d, not %d"
              .formatted(
                  all.rank(), op.text(), count, type.text(), wrong, found[wrong], wanted[wrong]));
    }
    planned +=
        all.plan(CollectiveCall.allReduce(count, type, op, true)).steps().stream()
            .filter(step -> step.action() instanceof Action.Combine)
            .count();
  }

  /** What {@code rank} brings: any bits, so infinities and subnormals and what is no number too. */
  private static byte[] given(int rank, ReduceOp op, DataType type, int sizeBytes) {
    byte[] bytes = new byte[sizeBytes];
    new Random(SEED + 1000L * rank + 100L * op.code() + type.code()).nextBytes(bytes);
    return bytes;
  }

  private static byte[] combined(ReduceOp op, DataType type, int count) {
    int bytes = count * type.sizeBytes();
    HostReducer host = HostReducer.best();
    try (NativeMemory left = NativeMemory.allocate(bytes);
        NativeMemory right = NativeMemory.allocate(bytes)) {
      left.put(0, given(0, op, type, bytes), 0, bytes);
      right.put(0, given(1, op, type, bytes), 0, bytes);
      ReduceOp step = op == ReduceOp.AVG ? ReduceOp.SUM : op;
      host.reduce(step, type, left.address(), left.address(), right.address(), count);
      if (op == ReduceOp.AVG) {
        host.divide(type, left.address(), left.address(), count, 2);
      }
      return left.get(0, bytes);
    }
  }
}
