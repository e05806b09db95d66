// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * All_reduces of many sizes and types, the first calls of a communicator: every element is right,
 * and as many bytes are moved as planned.
 */
final class PlannedSums {
  /** Elements of the longest of them. */
  static final long LONGEST = 100_001;

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long[] COUNTS = {0, 1, 3, 61, LONGEST};
  private static final int POISON = 0x5A;

  private final Communicator communicator;
  private final CallOptions options;
  private long plannedIntra;
  private long plannedCross;

  PlannedSums(Communicator communicator, CallOptions options) {
    this.communicator = communicator;
    this.options = options;
  }

  /** Makes all of them. */
  void run() {
    for (long count : COUNTS) {
      for (boolean inPlace : new boolean[] {false, true}) {
        for (DataType type :
            new DataType[] {
              DataType.F32, DataType.I64, DataType.BF16, DataType.F16, DataType.I32
            }) {
          call(count, type, ReduceOp.SUM, inPlace);
        }
        call(count, DataType.F64, ReduceOp.MAX, inPlace);
        call(count, DataType.F32, ReduceOp.AVG, inPlace);
      }
    }
    Traffic traffic = communicator.traffic();
    if (traffic.intraBytes() != plannedIntra || traffic.crossBytes() != plannedCross) {
      throw new IllegalStateException(
          "moved "
              + traffic
              + ", planned "
              + plannedIntra
              + " inside and "
              + plannedCross
              + " across");
    }
  }

  /** One sum of {@code count} floats. */
  void one(long count) {
    call(count, DataType.F32, ReduceOp.SUM, false);
  }

  private void call(long count, DataType type, ReduceOp op, boolean inPlace) {
    int bytes = (int) Math.max(1, count * type.sizeBytes());
    try (Stream stream = communicator.device().newStream();
        DeviceArray input = new DeviceArray(communicator.device(), stream, bytes);
        DeviceArray output = new DeviceArray(communicator.device(), stream, bytes)) {
      DeviceArray result = inPlace ? input : output;
      poison(output);
      fill(input, type, count, communicator.rank());
      CollectiveCall all = CollectiveCall.allReduce(count, type, op, false);
      Work work =
          communicator.call(
              new PlacedCall(all, input.address(), result.address()), options, stream);
      work.await(LIMIT);
      result.download();
      check(result, type, op, count);
      if (!inPlace) {
        input.download();
        checkInput(input, type, count);
      }
      Plan plan = communicator.plan(CollectiveCall.allReduce(count, type, op, inPlace));
      plannedIntra += plan.intraBytes();
      plannedCross += plan.crossBytes();
    }
  }

  private static void poison(DeviceArray array) {
    ByteBuffer bytes = array.bytes();
    while (bytes.hasRemaining()) {
      bytes.put((byte) POISON);
    }
    array.upload();
  }

  private static void fill(DeviceArray array, DataType type, long count, int rank) {
    ByteBuffer bytes = array.bytes();
    for (int i = 0; i < count; i++) {
      Numbers.put(bytes, type, i, element(rank, i));
    }
    array.upload();
  }

  /** Small whole numbers: every sum of them is exact in every type, whatever the order. */
  private static int element(int rank, int index) {
    return (rank + 1) * (index % 5);
  }

  private void check(DeviceArray array, DataType type, ReduceOp op, long count) {
    int n = communicator.size();
    for (int i = 0; i < count; i++) {
      double sum = n * (n + 1) / 2.0 * (i % 5);
      double expected =
          switch (op) {
            case MAX -> n * (double) (i % 5);
            case AVG -> (float) sum / n;
            case SUM, PROD, MIN, BAND, BOR, BXOR -> sum;
          };
      expect(array, type, i, expected, op + " of " + count + " " + type);
    }
  }

  private void checkInput(DeviceArray array, DataType type, long count) {
    for (int i = 0; i < count; i++) {
      expect(array, type, i, element(communicator.rank(), i), "input of " + count + " " + type);
    }
  }

  private void expect(DeviceArray array, DataType type, int index, double expected, String what) {
    double found = Numbers.get(array.bytes(), type, index);
    if (found != expected
        && Math.abs(found - expected) > (type == DataType.F32 ? 1e-6 * Math.abs(expected) : 0)) {
      throw new IllegalStateException(
          "rank "
              + communicator.rank()
              + ", "
              + what
              + ": element "
              + index
              + " is "
              + found
              + ", not "
              + expected);
    }
  }
}
