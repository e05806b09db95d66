// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls that are made once more if they were refused, as a program does that has freed some memory:
 * unless the communicator has failed.
 */
final class ScarceCalls {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int SOME = 1 << 12;

  private final Communicator communicator;
  private final Consumer<TomboloException> onRefusal;

  /** Of {@code communicator}; what refuses a call is told to {@code onRefusal}. */
  ScarceCalls(Communicator communicator, Consumer<TomboloException> onRefusal) {
    this.communicator = communicator;
    this.onRefusal = onRefusal;
  }

  private <T> T again(Supplier<T> call) {
    try {
      return call.get();
    } catch (TomboloException e) {
      if (communicator.failure().isPresent()) {
        throw e;
      }
      onRefusal.accept(e);
      return call.get();
    }
  }

  private DeviceVector vector(int count, float value) {
    float[] values = new float[count];
    Arrays.fill(values, value);
    return again(() -> DeviceVector.of(communicator, values));
  }

  private static void check(DeviceVector vector, float wanted) {
    for (float value : vector.floats()) {
      checkState(value == wanted, "%s in place of %s", value, wanted);
    }
  }

  /** All ranks' numbers from 1, {@code count} times. */
  void sum(int count) {
    int size = communicator.size();
    try (DeviceVector vector = vector(count, communicator.rank() + 1)) {
      again(() -> communicator.allReduce(vector.buffer(), Reduction.sum(), vector.stream()))
          .await(LIMIT);
      check(vector, size * (size + 1) / 2f);
    }
  }

  /** Each rank's number to the next one. */
  void pass() {
    int size = communicator.size();
    int next = (communicator.rank() + 1) % size;
    int last = (communicator.rank() + size - 1) % size;
    try (DeviceVector in = vector(SOME, -1);
        DeviceVector out = vector(SOME, communicator.rank())) {
      Work receive = again(() -> communicator.receive(in.buffer(), last, in.stream()));
      Work send = again(() -> communicator.send(out.buffer(), next, out.stream()));
      send.await(LIMIT);
      receive.await(LIMIT);
      check(in, last);
    }
  }

  /** What one rank has nothing for is refused on all, and made by all once more. */
  void split() {
    try (Communicator part = again(() -> communicator.split(0, 0).orElseThrow())) {
      new ScarceCalls(part, onRefusal).sum(1);
    }
  }
}
