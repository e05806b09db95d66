// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.base.LongCell;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Who has patience with a stream looks again and again in one call of the shim. */
public class StreamLookTest {
  private static final long LONG_NS = Duration.ofMinutes(1).toNanos();
  private static final long SHORT_NS = Duration.ofMillis(5).toNanos();
  private static final long LIMIT_MS = 120_000;

  private DeviceAdaptor device;
  private Stream stream;
  private LongCell word;

  @BeforeMethod
  public void open() {
    device = EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA).open(0);
    stream = device.newStream();
    word = device.newWords(1).get(0);
    TestDevices.finish(stream);
  }

  /** A stream that is held would hold up its own end. */
  @AfterMethod(alwaysRun = true)
  public void close() {
    word.setRelease(1);
    stream.close();
    device.close();
  }

  private void hold() {
    device.waitValueAsync(stream, word.address(), 1);
  }

  /** Does {@code what} as soon as the calling thread is in a look. */
  private static Thread insideLook(Runnable what) {
    Thread asking = Thread.currentThread();
    Thread thread =
        new Thread(
            () -> {
              TestDevices.await("the look", () -> isInLook(asking));
              what.run();
            },
            "beside");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static boolean isInLook(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    return stack.length > 0
        && stack[0].isNativeMethod()
        && stack[0].getMethodName().equals("isIdle");
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldSeeTheEndInTheLookThatBeganBeforeIt() throws InterruptedException {
    hold();
    Thread beside = insideLook(() -> word.setRelease(1));
    assertTrue(stream.isIdleWithin(LONG_NS));
    beside.join();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldLookForAsLongAsItIsToldAndNoLonger() {
    hold();
    long begunNs = System.nanoTime();
    assertFalse(stream.isIdleWithin(SHORT_NS));
    assertTrue(System.nanoTime() - begunNs >= SHORT_NS, "it gave up early");
    assertFalse(stream.isIdleWithin(0));
    assertFalse(stream.isIdle());
    word.setRelease(1);
    TestDevices.finish(stream);
    assertTrue(stream.isIdleWithin(LONG_NS));
  }

  /** What another thread closes is asked no more; the next question says that it is closed. */
  @Test(timeOut = LIMIT_MS)
  public void shouldLeaveAStreamThatIsClosedMeanwhile() throws InterruptedException {
    hold();
    Stream same = device.streamOf(stream.nativeHandle());
    Thread beside = insideLook(same::close);
    assertFalse(same.isIdleWithin(LONG_NS));
    beside.join();
    IllegalStateException closed =
        expectThrows(IllegalStateException.class, () -> same.isIdleWithin(LONG_NS));
    assertEquals(closed.getMessage(), "this stream is closed");
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldThrowWhatTheVendorHasAgainstIt() {
    Stream own = device.newStream();
    try (Stream destroyed = device.streamOf(own.nativeHandle())) {
      own.close();
      expectThrows(VendorException.class, () -> destroyed.isIdleWithin(LONG_NS));
    }
  }
}
