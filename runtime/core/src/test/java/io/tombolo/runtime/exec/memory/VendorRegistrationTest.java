// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.exec.agent.FailureState;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.testng.annotations.Test;

/** Registering with a library that refuses, fails, or waits until it is aborted. */
public class VendorRegistrationTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int RANK = 3;

  private final VendorException refused = new VendorException("not this memory", 4);

  @Test
  public void shouldBeUnderWayWhileTheLibraryIs() {
    FailureState failureState = new FailureState();
    assertTrue(
        register(failureState, Optional.empty(), itself -> assertTrue(itself.isUnderWay()), LIMIT));
    assertFalse(failureState.hasFailed());
  }

  @Test
  public void shouldGoOnWithoutWhenTheLibraryRefuses() {
    FailureState failureState = new FailureState();
    assertFalse(register(failureState, Optional.empty(), itself -> refuse(), LIMIT));
    assertFalse(failureState.hasFailed());
  }

  @Test
  public void shouldEndTheCommunicatorWhenTheLibraryHasFailed() {
    FailureState failureState = new FailureState();
    TomboloException failure =
        expectThrows(
            VendorException.class,
            () -> register(failureState, Optional.of(refused), itself -> refuse(), LIMIT));
    assertSame(failureState.failure().orElseThrow(), failure);
  }

  @Test
  public void shouldEndTheCommunicatorWhenTheOthersDoNotComeInTime() {
    FailureState failureState = new FailureState();
    CountDownLatch aborted = new CountDownLatch(1);
    failureState.onFailure(cause -> aborted.countDown());
    DeadlineExceededException failure =
        expectThrows(
            DeadlineExceededException.class,
            () ->
                register(
                    failureState,
                    Optional.empty(),
                    itself -> await(aborted),
                    Duration.ofMillis(100)));
    assertTrue(
        failure.getMessage().startsWith("rank 3: registering 64 bytes: "), failure.getMessage());
    assertSame(failureState.failure().orElseThrow(), failure);
    assertEquals(aborted.getCount(), 0);
  }

  @Test
  public void shouldTellWhatHasEndedTheCommunicatorMeanwhile() {
    FailureState failureState = new FailureState();
    PeerFailedException cause = new PeerFailedException("rank 1 died");
    TomboloException failure =
        expectThrows(
            PeerFailedException.class,
            () ->
                register(
                    failureState,
                    Optional.empty(),
                    itself -> {
                      failureState.fail(cause);
                      refuse(); // as a library does that is aborted
                    },
                    LIMIT));
    assertSame(failure.getCause(), cause);
    assertEquals(failure.getMessage(), "rank 3: registering 64 bytes: rank 1 died");
  }

  @Test
  public void shouldEndTheCommunicatorAndStayInterruptedWhenTheCallerIs() {
    FailureState failureState = new FailureState();
    CountDownLatch aborted = new CountDownLatch(1);
    failureState.onFailure(cause -> aborted.countDown());
    Thread.currentThread().interrupt();
    expectThrows(
        AbortedException.class,
        () -> register(failureState, Optional.empty(), itself -> await(aborted), LIMIT));
    assertTrue(Thread.interrupted());
    assertTrue(failureState.hasFailed());
  }

  /** Registers 64 bytes with a library that does {@code what}, and tells of {@code failure}. */
  private static boolean register(
      FailureState failureState,
      Optional<VendorException> failure,
      Consumer<VendorRegistration> what,
      Duration limit) {
    VendorRegistration[] itself = new VendorRegistration[1];
    CclCommunicator library =
        (CclCommunicator)
            Proxy.newProxyInstance(
                VendorRegistrationTest.class.getClassLoader(),
                new Class<?>[] {CclCommunicator.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("asyncError")) {
                    return failure;
                  }
                  assertEquals(method.getName(), "register");
                  what.accept(itself[0]);
                  return null;
                });
    itself[0] = new VendorRegistration(RANK, library, failureState);
    try (HostDevice device = new HostDevice();
        DeviceMemory memory = device.allocate(64)) {
      return itself[0].register(memory, Deadline.after(limit));
    } finally {
      assertFalse(itself[0].isUnderWay());
    }
  }

  private void refuse() {
    throw refused;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
