// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A framework has its own device current on its threads, and allocates there: no call for another
 * device changes that.
 */
public final class CurrentDeviceTest {
  private static final int BYTES = 4096;

  /** Whose calls name the device, or the thread's is our own affair. */
  private static final ImmutableSet<String> WITHOUT_ONE =
      ImmutableSet.of("host", "emu-gaudi", "emu-level-zero");

  /** Where a thread may have none. */
  private static final ImmutableSet<String> WITH_CONTEXTS =
      ImmutableSet.of("emu-nvidia", "emu-musa", "emu-kunlunxin");

  @DataProvider
  public static Object[][] runtimes() {
    return TestDevices.all().entrySet().stream()
        .filter(each -> !WITHOUT_ONE.contains(each.getKey()))
        .filter(each -> each.getValue().devices().size() > 1)
        .map(each -> new Object[] {each.getKey(), each.getValue()})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "runtimes", timeOut = 60_000)
  public void shouldLeaveTheThreadsDeviceCurrent(String name, DeviceSource runtime) {
    try (DeviceAdaptor ours = runtime.open(0);
        DeviceAdaptor theirs = runtime.open(1)) {
      long unused = theirs.bindThread();
      long before = ours.bindThread();
      assertTrue(before != 0, "another device was current");
      ours.unbindThread(before);
      assertEquals(theirs.bindThread(), 0, "what was current is so again");
      callEverything(
          runtime,
          ours,
          what -> assertEquals(theirs.bindThread(), 0, name + " has another device after " + what));
    }
  }

  @Test(dataProvider = "runtimes", timeOut = 60_000)
  public void shouldLeaveAThreadWithoutADeviceAsItIs(String name, DeviceSource runtime) {
    if (WITH_CONTEXTS.contains(name)) {
      try (DeviceAdaptor ours = runtime.open(0)) {
        CompletableFuture.runAsync(
                () -> {
                  ours.allocate(BYTES).close();
                  assertTrue(ours.bindThread() != 0, "no context is current");
                })
            .join();
      }
    }
  }

  private static void callEverything(
      DeviceSource runtime, DeviceAdaptor ours, Consumer<String> after) {
    assertFalse(runtime.devices().isEmpty());
    after.accept("looking at devices");
    try (DeviceMemory memory = ours.allocate(BYTES);
        DeviceMemory pinned = ours.allocatePinned(BYTES);
        NativeMemory host = NativeMemory.allocate(BYTES);
        DeviceMemory registered = ours.register(host.address(), BYTES);
        Stream stream = ours.newStream();
        Stream urgent = ours.newUrgentStream();
        Event event = ours.newAwaitedEvent()) {
      after.accept("making memory, streams and an event");
      assertEquals(registered.address(), host.address());
      ours.copyAsync(
          CopyDirection.HOST_TO_DEVICE, memory.address(), pinned.address(), BYTES, stream);
      ours.fillAsync(memory.address(), (byte) 7, BYTES, stream);
      event.record(stream);
      urgent.waitFor(event);
      after.accept("queueing work");
      ring(ours, stream);
      after.accept("a doorbell");
      TestDevices.finish(stream);
      TestDevices.finish(urgent);
      assertEquals(event.isDone(), true);
      after.accept("asking how far streams are");
      assertTrue(stream.nativeHandle() != 0);
      after.accept("a stream's handle");
      if (ours.reducing().isAvailable()) {
        DeviceReducer reducer = ours.newReducer();
        after.accept("compiling and loading kernels");
        reducer.close();
        DeviceChecksummer checksummer = ours.newChecksummer().orElseThrow();
        checksummer.checksumAsync(memory.address(), memory.address(4, 8), 8, stream);
        TestDevices.finish(stream);
        after.accept("a checksum");
        checksummer.close();
      }
      if (ours.flushesRemoteWrites()) {
        ours.flushRemoteWrites();
      }
      if (ours.features().contains(DeviceFeature.PEER_ACCESS) && ours.canAccessPeer(2)) {
        ours.enablePeerAccess(2);
      }
      after.accept("a flush, and access to a peer");
      assertThrows(RuntimeException.class, () -> ours.allocate(Long.MAX_VALUE));
      after.accept("a call that fails");
    }
    after.accept("closing all of it");
  }

  private static void ring(DeviceAdaptor ours, Stream stream) {
    if (!ours.isHostOrdered()) {
      LongCell word = ours.newWords(1).get(0);
      ours.waitValueAsync(stream, word.address(), 1);
      ours.writeValueAsync(stream, word.address(), 2);
      word.setRelease(1);
    }
  }
}
