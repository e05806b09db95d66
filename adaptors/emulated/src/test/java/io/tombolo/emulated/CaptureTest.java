// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.AscendDialect;
import io.tombolo.adaptors.device.CambriconDialect;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.MusaDialect;
import io.tombolo.adaptors.device.Role;
import io.tombolo.adaptors.device.RuntimeLikeDialects;
import io.tombolo.base.NativeMemory;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Every runtime that captures streams into graphs says so when it is asked, also of a stream that
 * is in a capture by an event, and no call of this library breaks a capture of somebody else's.
 */
public final class CaptureTest {
  private static final int BYTES = 64;
  private static final int GLOBAL = 0;

  /** A row, its emulation, and what begins and ends a capture. */
  @DataProvider
  public static Object[][] runtimes() {
    return new Object[][] {
      {
        DeviceDialects.CUDA, EmulatedLibrary.NVIDIA, "cuStreamBeginCapture_v2", "cuStreamEndCapture"
      },
      {DeviceDialects.HIP, EmulatedLibrary.AMD, "hipStreamBeginCapture", "hipStreamEndCapture"},
      {AscendDialect.ACL, EmulatedLibrary.ASCEND, "aclmdlRICaptureBegin", "aclmdlRICaptureEnd"},
      {
        CambriconDialect.CNRT,
        EmulatedLibrary.CAMBRICON,
        "cnrtQueueBeginCapture",
        "cnrtQueueEndCapture"
      },
      {MusaDialect.MUSA, EmulatedLibrary.MUSA, "muStreamBeginCapture", "muStreamEndCapture"},
      {
        RuntimeLikeDialects.TOPS,
        EmulatedLibrary.TOPS,
        "topsStreamBeginCapture",
        "topsStreamEndCapture"
      },
    };
  }

  @Test(dataProvider = "runtimes", timeOut = 60_000)
  public void shouldTellThatAStreamIsCapturedAndNotBreakIt(
      DeviceDialect row, EmulatedLibrary library, String begin, String end) {
    try (DeviceAdaptor device = library.devices(row).open(0);
        DeviceAdaptor recorder = library.devices(recording(row, begin, end)).open(0);
        DeviceMemory graph = device.allocatePinned(Long.BYTES);
        Stream captured = device.newStream();
        Stream joined = device.newStream();
        Stream other = device.newStream();
        Event before = device.newEvent();
        Event fork = device.newAwaitedEvent();
        Stream same = recorder.streamOf(captured.nativeHandle())) {
      long queue = captured.nativeHandle();
      before.record(captured);
      TestDevices.await("the event", before::isDone);
      assertFalse(captured.isCapturing());
      recorder.fillAsync(queue, (byte) GLOBAL, GLOBAL, same);
      assertTrue(captured.isCapturing());
      fork.record(captured);
      joined.waitFor(fork);
      assertTrue(joined.isCapturing());
      assertFalse(other.isCapturing());
      doWhatCapturesForbid(device, other);
      assertTrue(before.isDone(), "asked of the event alone, not of the stream");
      long into = graph.address();
      recorder.copyAsync(CopyDirection.DEVICE_TO_DEVICE, queue, into, into, same);
      assertFalse(captured.isCapturing());
      assertFalse(joined.isCapturing());
      assertTrue(captured.isIdle() && joined.isIdle());
    }
  }

  /** Which breaks a global capture, unless the thread is in the relaxed mode. */
  private static void doWhatCapturesForbid(DeviceAdaptor device, Stream stream) {
    try (DeviceMemory memory = device.allocate(BYTES);
        DeviceMemory pinned = device.allocatePinned(BYTES);
        NativeMemory host = NativeMemory.allocate(BYTES);
        DeviceMemory registered = device.register(host.address(), BYTES);
        Event event = device.newEvent()) {
      assertEquals(registered.address(), host.address());
      device.copyAsync(
          CopyDirection.HOST_TO_DEVICE, memory.address(), pinned.address(), BYTES, stream);
      event.record(stream);
      TestDevices.await("the event", event::isDone);
      TestDevices.finish(stream);
    }
  }

  /**
   * The row with captures in the place of fills and copies: the first two arguments are alike,
   * where the second of AscendCL's is the size.
   */
  private static DeviceDialect recording(DeviceDialect row, String begin, String end) {
    return new DeviceDialect(
        row.name() + " with captures",
        row.libraries(),
        ImmutableMap.<Role, String>builder()
            .putAll(row.symbols())
            .put(Role.FILL, begin)
            .put(Role.COPY_ON_DEVICE, end)
            .buildKeepingLast(),
        row.shapes(),
        row.safeWhileHeld(),
        row.constants(),
        row.compiler(),
        row.witness(),
        row.fix(),
        row.source());
  }
}
