package io.tombolo.runtime.exec;

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
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.testng.annotations.Test;

/** Registering with a library that refuses, fails, or waits until it is aborted. */
public class RegistrationTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int RANK = 3;

  private final VendorException refused = new VendorException("not this memory", 4);

  @Test
  public void shouldBeUnderWayWhileTheLibraryIs() {
    Fate fate = new Fate();
    assertTrue(register(fate, Optional.empty(), itself -> assertTrue(itself.isUnderWay()), LIMIT));
    assertFalse(fate.isSealed());
  }

  @Test
  public void shouldGoOnWithoutWhenTheLibraryRefuses() {
    Fate fate = new Fate();
    assertFalse(register(fate, Optional.empty(), itself -> refuse(), LIMIT));
    assertFalse(fate.isSealed());
  }

  @Test
  public void shouldEndTheCommunicatorWhenTheLibraryHasFailed() {
    Fate fate = new Fate();
    TomboloException failure =
        expectThrows(
            VendorException.class,
            () -> register(fate, Optional.of(refused), itself -> refuse(), LIMIT));
    assertSame(fate.failure().orElseThrow(), failure);
  }

  @Test
  public void shouldEndTheCommunicatorWhenTheOthersDoNotComeInTime() {
    Fate fate = new Fate();
    CountDownLatch aborted = new CountDownLatch(1);
    fate.onFailure(cause -> aborted.countDown());
    DeadlineExceededException failure =
        expectThrows(
            DeadlineExceededException.class,
            () ->
                register(fate, Optional.empty(), itself -> await(aborted), Duration.ofMillis(100)));
    assertTrue(
        failure.getMessage().startsWith("rank 3: registering 64 bytes: "), failure.getMessage());
    assertSame(fate.failure().orElseThrow(), failure);
    assertEquals(aborted.getCount(), 0);
  }

  @Test
  public void shouldTellWhatHasEndedTheCommunicatorMeanwhile() {
    Fate fate = new Fate();
    PeerFailedException cause = new PeerFailedException("rank 1 died");
    TomboloException failure =
        expectThrows(
            PeerFailedException.class,
            () ->
                register(
                    fate,
                    Optional.empty(),
                    itself -> {
                      fate.fail(cause);
                      refuse(); // as a library does that is aborted
                    },
                    LIMIT));
    assertSame(failure.getCause(), cause);
    assertEquals(failure.getMessage(), "rank 3: registering 64 bytes: rank 1 died");
  }

  @Test
  public void shouldEndTheCommunicatorAndStayInterruptedWhenTheCallerIs() {
    Fate fate = new Fate();
    CountDownLatch aborted = new CountDownLatch(1);
    fate.onFailure(cause -> aborted.countDown());
    Thread.currentThread().interrupt();
    expectThrows(
        AbortedException.class,
        () -> register(fate, Optional.empty(), itself -> await(aborted), LIMIT));
    assertTrue(Thread.interrupted());
    assertTrue(fate.isSealed());
  }

  /** Registers 64 bytes with a library that does {@code what}, and tells of {@code failure}. */
  private static boolean register(
      Fate fate, Optional<VendorException> failure, Consumer<Registration> what, Duration limit) {
    Registration[] itself = new Registration[1];
    CclCommunicator library =
        (CclCommunicator)
            Proxy.newProxyInstance(
                RegistrationTest.class.getClassLoader(),
                new Class<?>[] {CclCommunicator.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("asyncError")) {
                    return failure;
                  }
                  assertEquals(method.getName(), "register");
                  what.accept(itself[0]);
                  return null;
                });
    itself[0] = new Registration(RANK, library, fate);
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
