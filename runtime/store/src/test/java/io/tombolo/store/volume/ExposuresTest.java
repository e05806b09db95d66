// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.NamedSpec;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What waits for a device that takes long over one tensor, and what does not. */
public class ExposuresTest {
  private static final int ELEMENTS = 16;
  private static final int PATIENCE_S = 60;

  private final StoredTensor first = tensor("first", 0);
  private final StoredTensor second = tensor("second", 1);
  private NativeMemory memory;

  @BeforeMethod
  public void allocate() {
    memory = NativeMemory.allocate(2L * ELEMENTS * Float.BYTES);
  }

  @AfterMethod(alwaysRun = true)
  public void free() {
    memory.close();
  }

  private static StoredTensor tensor(String name, long place) {
    TensorSpec spec = TensorSpec.of(DataType.F32, ELEMENTS);
    return new StoredTensor(new NamedSpec(name, spec), place * spec.sizeBytes());
  }

  private static void await(CountDownLatch event) {
    try {
      assertTrue(event.await(PATIENCE_S, TimeUnit.SECONDS), "it does not come");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A device whose events the test says. */
  private record Device(Runnable onExpose, Runnable onClose) implements OneSidedReads {
    @Override
    public Exposed expose(String what, MemoryBlock block) {
      onExpose.run();
      return new Exposed() {
        @Override
        public byte[] key() {
          return new byte[] {7};
        }

        @Override
        public void close() {
          onClose.run();
        }
      };
    }

    @Override
    public Holder holder() {
      throw new AssertionError("nobody reads");
    }

    @Override
    public Reader reader(String holder) {
      throw new AssertionError("nobody reads");
    }

    @Override
    public boolean isAskedFor() {
      return false;
    }

    @Override
    public void close() {}
  }

  @Test(timeOut = 120_000)
  public void shouldOpenAndWithdrawOneTensorWhileAnotherIsBeingExposed() throws Exception {
    AtomicInteger exposed = new AtomicInteger();
    AtomicInteger closed = new AtomicInteger();
    CountDownLatch exposing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Runnable onExpose =
        () -> {
          if (exposed.incrementAndGet() == 2) {
            exposing.countDown();
            await(goOn);
          }
        };
    Exposures exposures =
        new Exposures(Optional.of(new Device(onExpose, closed::incrementAndGet)), memory);
    assertEquals(exposures.keyOf(first), new byte[] {7});
    CompletableFuture<byte[]> slow = CompletableFuture.supplyAsync(() -> exposures.keyOf(second));
    await(exposing);
    assertEquals(exposures.keyOf(first), new byte[] {7});
    exposures.withdraw(first);
    assertEquals(closed.get(), 1);
    assertFalse(slow.isDone(), "it waits for the others");
    goOn.countDown();
    assertEquals(slow.get(PATIENCE_S, TimeUnit.SECONDS), new byte[] {7});
    assertTrue(exposures.end());
    assertEquals(exposed.get() + " and " + closed.get(), "2 and 2");
  }

  /** Else the memory would be freed below a device that still has it. */
  @Test(timeOut = 120_000)
  public void shouldNotEndWhileADeviceLetsGoForAnotherThread() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch again = new CountDownLatch(1);
    CountDownLatch gone = new CountDownLatch(1);
    Runnable onClose =
        () -> {
          if (calls.incrementAndGet() == 1) {
            closing.countDown();
            await(again);
            gone.countDown();
          } else {
            again.countDown();
            await(gone);
          }
        };
    Exposures exposures = new Exposures(Optional.of(new Device(() -> {}, onClose)), memory);
    assertEquals(exposures.keyOf(first), new byte[] {7});
    CompletableFuture<Void> withdrawing =
        CompletableFuture.runAsync(() -> exposures.withdraw(first));
    await(closing);
    try {
      assertTrue(exposures.end());
      assertEquals(gone.getCount(), 0, "the device still has it");
    } finally {
      again.countDown();
    }
    withdrawing.get(PATIENCE_S, TimeUnit.SECONDS);
  }
}
