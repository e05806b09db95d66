// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.DataType;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorSpec;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A call of another thread, which has its connection until the test lets it go on. */
final class LongCall {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private final FutureTask<Void> call;

  private LongCall(Consumer<LongCall> call) {
    this.call = new FutureTask<>(() -> call.accept(this), null);
  }

  /** A call of a reader's to a holder. */
  static LongCall of(HolderLink link) {
    return new LongCall(
        call ->
            link.link()
                .run(
                    "take its time",
                    () -> {
                      call.pause();
                      return null;
                    }));
  }

  /** A put of the first version of "slow", which takes time to be made. */
  static LongCall put(TensorStore store, int elements) {
    return new LongCall(
        call -> {
          HostTensor made = Tensors.constant(2, elements);
          long version =
              store.putMade(
                  "slow",
                  Map.of("w", TensorSpec.of(DataType.F32, elements)),
                  (name, spec) -> {
                    call.pause();
                    return new TensorMaker.Made(made, OptionalInt.empty());
                  });
          assertEquals(version, 1);
          made.memory().close();
        });
  }

  /** Returns once the other thread is in the middle of it. */
  void begin() {
    new Thread(call, "long call").start();
    awaitBegun();
  }

  /** Returns once the other thread waits for its turn. */
  void queue() {
    waiting(call);
  }

  /** Returns once the other thread, which waited for its turn, is in the middle of it. */
  void awaitBegun() {
    assertTrue(Uninterruptibles.awaitUninterruptibly(begun, LONG));
  }

  private void pause() {
    begun.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(goesOn, LONG));
  }

  /** Lets it go on, and returns once it has ended. */
  void end() throws Exception {
    goesOn.countDown();
    call.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  /** Starts a thread, and returns once that waits for its turn. */
  static Thread waiting(Runnable call) {
    Thread thread = new Thread(call, "waits for its turn");
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(thread.isAlive(), "it did not wait");
      Thread.onSpinWait();
    }
    return thread;
  }
}
