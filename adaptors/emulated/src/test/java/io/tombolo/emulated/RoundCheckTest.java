// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.RoundCheck;
import io.tombolo.base.NativeMemory;
import java.util.Map;
import org.testng.Assert.ThrowingRunnable;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What a round may not call of a device, whatever library is below: tests run with the check on.
 */
public final class RoundCheckTest {
  private static final int BYTES = 64;

  /** All but the host, whose streams are threads of Java's. */
  @DataProvider
  public static Object[][] runtimes() {
    return Maps.filterKeys(TestDevices.all(), name -> !name.equals("host")).keySet().stream()
        .map(name -> new Object[] {name})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "runtimes")
  public void shouldRefuseInARoundWhatMayWaitForAHeldStream(String name) {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0);
        NativeMemory host = NativeMemory.allocate(BYTES)) {
      DeviceMemory memory = device.allocate(BYTES);
      DeviceMemory pinned = device.allocatePinned(BYTES);
      Stream stream = device.newStream();
      Event event = device.newEvent();
      Map<String, ThrowingRunnable> refused =
          ImmutableMap.<String, ThrowingRunnable>builder()
              .put("allocate", () -> device.allocate(BYTES))
              .put("allocate pinned", () -> device.allocatePinned(BYTES))
              .put("register", () -> device.register(host.address(), BYTES))
              .put("a first fill", () -> device.fillAsync(memory.address(), (byte) 1, 1, stream))
              .put("a new stream", device::newStream)
              .put("a new event", device::newEvent)
              .put("a new event for streams", device::newAwaitedEvent)
              .put("free", memory::close)
              .put("free pinned", pinned::close)
              .put("end the event", event::close)
              .put("end the stream", stream::close)
              .buildOrThrow();
      refused.forEach((what, call) -> refuses(name + ": " + what, call));
    }
  }

  @Test(dataProvider = "runtimes")
  public void shouldLetARoundQueueWorkAndAskHowFarItIs(String name) {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0);
        DeviceMemory memory = device.allocate(BYTES);
        DeviceMemory pinned = device.allocatePinned(BYTES);
        Stream first = device.newStream();
        Stream second = device.newStream();
        Event event = device.newAwaitedEvent()) {
      NativeMemory.cellAt(pinned.address()).setRelease(42);
      RoundCheck.enter();
      try {
        copy(device, CopyDirection.HOST_TO_DEVICE, memory, pinned, first);
        event.record(first);
        second.waitFor(event);
        copy(device, CopyDirection.DEVICE_TO_HOST, pinned, memory, second);
        TestDevices.finish(second);
        assertTrue(event.isDone());
      } finally {
        RoundCheck.leave();
      }
      assertEquals(NativeMemory.cellAt(pinned.address(Long.BYTES, Long.BYTES)).getAcquire(), 42);
    }
  }

  /**
   * No document of MUSA's says so of any call, and HIP's of no more than these; CUDA's say nothing
   * of who has its interface.
   */
  @DataProvider
  public static Object[][] writing() {
    return new Object[][] {
      {"emu-nvidia", true}, {"emu-amd", true}, {"emu-musa", false}, {"emu-kunlunxin", false}
    };
  }

  @Test(dataProvider = "writing")
  public void shouldLetARoundWriteWordsOnlyWhereADocumentSaysThatItIsQueued(
      String name, boolean isSaid) {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0);
        Stream stream = device.newStream()) {
      long word = device.newWords(1).get(0).address();
      if (isSaid) {
        RoundCheck.enter();
        try {
          device.writeValueAsync(stream, word, 1);
        } finally {
          RoundCheck.leave();
        }
      } else {
        refuses(name, () -> device.writeValueAsync(stream, word, 1));
      }
      TestDevices.finish(stream);
    }
  }

  @DataProvider
  public static Object[][] capturing() {
    return new Object[][] {
      {"emu-nvidia", true}, {"emu-amd", false}, {"emu-musa", false}, {"emu-kunlunxin", false}
    };
  }

  @Test(dataProvider = "capturing")
  public void shouldLetARoundAskForCapturesOnlyWhereItIsKnownNotToWait(
      String name, boolean isKnown) {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0);
        Stream stream = device.newStream()) {
      if (isKnown) {
        RoundCheck.enter();
        try {
          assertFalse(stream.isCapturing());
        } finally {
          RoundCheck.leave();
        }
      } else {
        refuses(name, stream::isCapturing);
      }
    }
  }

  /** The upper half of what comes is the lower half of what goes. */
  private static void copy(
      DeviceAdaptor device, CopyDirection way, DeviceMemory to, DeviceMemory from, Stream stream) {
    long shift = way == CopyDirection.DEVICE_TO_HOST ? Long.BYTES : 0;
    device.copyAsync(way, to.address() + shift, from.address(), Long.BYTES, stream);
  }

  private static void refuses(String what, ThrowingRunnable call) {
    String thread = Thread.currentThread().getName();
    Thread.currentThread().setName("a-round");
    RoundCheck.enter();
    try {
      String said = expectThrows(what, IllegalStateException.class, call).getMessage();
      assertTrue(said.contains(" in a round, on a-round: it may wait for a stream"), said);
    } finally {
      RoundCheck.leave();
      Thread.currentThread().setName(thread);
    }
  }
}
