// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;

/**
 * A sum of all ranks' numbers, of which each rank knows what must come out. What a failed call may
 * still use is left until the process ends: so it is closed only after a good end.
 */
final class SimulatedSum implements AutoCloseable {
  private final Communicator communicator;
  private final Stream stream;
  private final int count;
  private final DeviceArray array;

  SimulatedSum(Communicator communicator, Stream stream, int count) {
    this.communicator = communicator;
    this.stream = stream;
    this.count = count;
    this.array = new DeviceArray(communicator.device(), stream, Integer.BYTES * count);
    fill();
  }

  private void fill() {
    for (int i = 0; i < count; i++) {
      Numbers.put(array.bytes(), DataType.I32, i, i + communicator.rank());
    }
    array.upload();
  }

  Work call(CallOptions how) {
    return call(how, stream);
  }

  /** As the other, on a stream that is not its own. */
  Work call(CallOptions how, Stream other) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.I32, ReduceOp.SUM, true);
    return communicator.call(new PlacedCall(call, array.address(), array.address()), how, other);
  }

  /** Once the call has ended. */
  void check() {
    array.download();
    int size = communicator.size();
    for (int i = 0; i < count; i++) {
      double expected = (double) size * i + size * (size - 1) / 2.0;
      double found = Numbers.get(array.bytes(), DataType.I32, i);
      if (found != expected) {
        throw new IllegalStateException(
            "element %s of %s is %s, not %s".formatted(i, count, found, expected));
      }
    }
  }

  @Override
  public void close() {
    array.close();
  }
}
