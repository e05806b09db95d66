// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.time.Duration;

/** A sum over all ranks of a simulated communicator, whose result is looked at. */
final class SimulatedSum {
  private SimulatedSum() {}

  /**
   * Makes the call, and waits for it. What a failed one may still use is left until the process
   * ends.
   */
  static void call(Communicator communicator, int elements, CallOptions how, Duration limit) {
    try (Stream stream = communicator.device().newStream()) {
      DeviceArray array = new DeviceArray(communicator.device(), stream, Integer.BYTES * elements);
      fill(array, elements, communicator.rank());
      CollectiveCall call = CollectiveCall.allReduce(elements, DataType.I32, ReduceOp.SUM, true);
      PlacedCall placed = new PlacedCall(call, array.address(), array.address());
      communicator.call(placed, how, stream).await(limit);
      array.download();
      check(array, elements, communicator.size());
      array.close();
    }
  }

  private static void fill(DeviceArray array, int elements, int rank) {
    for (int i = 0; i < elements; i++) {
      Numbers.put(array.bytes(), DataType.I32, i, i + rank);
    }
    array.upload();
  }

  private static void check(DeviceArray array, int elements, int size) {
    for (int i = 0; i < elements; i++) {
      double expected = (double) size * i + size * (size - 1) / 2.0;
      double found = Numbers.get(array.bytes(), DataType.I32, i);
      if (found != expected) {
        throw new IllegalStateException(
            "element %s of %s is %s, not %s".formatted(i, elements, found, expected));
      }
    }
  }
}
