// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static io.tombolo.emulated.TestDevices.await;
import static io.tombolo.emulated.TestDevices.finish;
import static io.tombolo.emulated.TestDevices.get;
import static io.tombolo.emulated.TestDevices.put;
import static io.tombolo.emulated.TestDevices.read;
import static io.tombolo.emulated.TestDevices.write;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.base.LongCell;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.MemoryKind;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** What some devices have and others lack: managed memory, host functions, peers. */
public final class DeviceFeaturesTest {
  private static final long SEED = 20252;
  private static final int SIZE = 10_000;
  private static final ImmutableSet<DeviceFeature> ALL =
      Sets.immutableEnumSet(Arrays.asList(DeviceFeature.values()));

  /** As far as a public header or reference shows it. */
  private static final ImmutableMap<String, ImmutableSet<DeviceFeature>> SHOWN =
      ImmutableMap.<String, ImmutableSet<DeviceFeature>>builder()
          .put("nvidia", ALL)
          .put(
              "host",
              Sets.immutableEnumSet(DeviceFeature.MANAGED_MEMORY, DeviceFeature.HOST_FUNCTIONS))
          .put("emu-nvidia", ALL)
          .put("emu-amd", ALL)
          .put(
              "emu-ascend",
              Sets.immutableEnumSet(DeviceFeature.HOST_FUNCTIONS, DeviceFeature.PEER_ACCESS))
          .put("emu-kunlunxin", ALL)
          .put("emu-kunlunxin-xre", ImmutableSet.of())
          .put("emu-gaudi", ImmutableSet.of())
          .put(
              "emu-cambricon",
              Sets.immutableEnumSet(DeviceFeature.HOST_FUNCTIONS, DeviceFeature.PEER_ACCESS))
          .put(
              "emu-level-zero",
              Sets.immutableEnumSet(DeviceFeature.MANAGED_MEMORY, DeviceFeature.PEER_ACCESS))
          .put("emu-maca", ALL)
          .put("emu-musa", ALL)
          .put("emu-tops", Sets.immutableEnumSet(DeviceFeature.HOST_FUNCTIONS))
          .buildOrThrow();

  private final String name;
  private final DeviceSource source;
  private DeviceAdaptor device;
  private Hold hold;

  @Factory(dataProvider = "devices")
  public DeviceFeaturesTest(String name, DeviceSource source) {
    this.name = name;
    this.source = source;
  }

  @DataProvider
  public static Object[][] devices() {
    return DeviceConformanceTest.devices();
  }

  @BeforeClass
  public void open() {
    System.out.println("features of device " + name + ", seed " + SEED);
    device = source.open(0);
    hold = Hold.of(name, device);
  }

  @AfterClass(alwaysRun = true)
  public void close() {
    hold.close();
    device.close();
  }

  @Override
  public String toString() {
    return name;
  }

  private boolean has(DeviceFeature feature) {
    return device.features().contains(feature);
  }

  @Test
  public void shouldHaveWhatItsVendorHas() {
    assertEquals(device.features(), SHOWN.get(name));
  }

  @Test
  public void shouldRefuseWhatItsVendorDoesNotHave() {
    try (Stream stream = device.newStream()) {
      if (!has(DeviceFeature.MANAGED_MEMORY)) {
        shouldBeRefused("managed memory", () -> device.allocateManaged(8));
      }
      if (!has(DeviceFeature.HOST_FUNCTIONS)) {
        shouldBeRefused("host functions", () -> stream.launchHostFunction(() -> {}));
      }
      if (!has(DeviceFeature.PEER_ACCESS)) {
        shouldBeRefused("peer access", () -> device.canAccessPeer(0));
        shouldBeRefused("peer access", () -> device.enablePeerAccess(0));
      }
      finish(stream);
    }
  }

  private static void shouldBeRefused(String what, Runnable call) {
    UnsupportedException error = expectThrows(UnsupportedException.class, call::run);
    assertTrue(error.getMessage().matches("the .+ has no " + what + "[;:] .+"), error.getMessage());
  }

  @Test
  public void shouldShareManagedMemoryWithTheHost() {
    if (!has(DeviceFeature.MANAGED_MEMORY)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    byte[] bytes = new byte[SIZE];
    new Random(SEED).nextBytes(bytes);
    try (DeviceMemory managed = device.allocateManaged(SIZE);
        DeviceMemory block = device.allocate(SIZE);
        Stream stream = device.newStream()) {
      write(managed.address(), bytes);
      copyOnDevice(block.address(), managed.address(), stream);
      assertEquals(get(device, block.address(), SIZE), bytes, "what the host wrote");
      device.fillAsync(block.address(), (byte) -3, SIZE, stream);
      copyOnDevice(managed.address(), block.address(), stream);
      device.fillAsync(managed.address(1, 1), (byte) 7, 1, stream);
      finish(stream);
      assertEquals(read(managed.address(), 3), new byte[] {-3, 7, -3}, "what the device wrote");
      assertEquals(managed.sizeBytes(), SIZE);
    }
  }

  private void copyOnDevice(long to, long from, Stream stream) {
    device.copyAsync(CopyDirection.DEVICE_TO_DEVICE, to, from, SIZE, stream);
    finish(stream);
  }

  @Test
  public void shouldKeepManagedMemoryFromFabricsUnlessItIsTheHosts() {
    if (!has(DeviceFeature.MANAGED_MEMORY)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    DeviceMemory managed = device.allocateManaged(SIZE);
    try (managed) {
      boolean host = name.equals("host");
      assertEquals(managed.kind(), host ? MemoryKind.PINNED : MemoryKind.MANAGED);
      assertEquals(device.export(managed) instanceof MemoryExport.None, !host);
    }
    managed.close();
    assertThrows(IllegalStateException.class, managed::address);
    assertThrows(IllegalArgumentException.class, () -> device.allocateManaged(0));
  }

  @Test
  public void shouldRunAHostFunctionBetweenWhatComesBeforeAndAfterIt() {
    if (!has(DeviceFeature.HOST_FUNCTIONS)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    try (DeviceMemory pinned = device.allocatePinned(SIZE);
        DeviceMemory block = device.allocate(SIZE);
        Stream stream = device.newStream()) {
      LongCell gate = hold.word();
      write(pinned.address(), new byte[SIZE]);
      AtomicReference<byte[]> seen = new AtomicReference<>();
      long at = pinned.address();
      hold.at(stream, gate.address(), 1);
      device.fillAsync(block.address(), (byte) 5, SIZE, stream);
      device.copyAsync(CopyDirection.DEVICE_TO_HOST, at, block.address(), SIZE, stream);
      stream.launchHostFunction(
          () -> {
            seen.set(read(at + SIZE - 2, 2));
            write(at, new byte[] {8});
          });
      device.copyAsync(CopyDirection.HOST_TO_DEVICE, block.address(), at, SIZE, stream);
      assertFalse(stream.isIdle());
      assertEquals(seen.get(), null, "the stream is held");
      gate.setRelease(1);
      finish(stream);
      assertEquals(seen.get(), new byte[] {5, 5}, "before it");
      assertEquals(get(device, block.address(), 2), new byte[] {8, 5}, "after it");
    }
  }

  @Test
  public void shouldRunManyHostFunctionsInOrder() {
    if (!has(DeviceFeature.HOST_FUNCTIONS)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    int count = 2_000;
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    try (Stream stream = device.newStream()) {
      IntStream.range(0, count).forEach(i -> stream.launchHostFunction(() -> order.add(i)));
      finish(stream);
      assertEquals(order, IntStream.range(0, count).boxed().toList());
    }
  }

  @Test
  public void shouldRunHostFunctionsOfManyStreams() {
    if (!has(DeviceFeature.HOST_FUNCTIONS)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    AtomicInteger ran = new AtomicInteger();
    for (int round = 0; round < 100; round++) { // threads that come, and threads that end
      try (Stream stream = device.newStream()) {
        stream.launchHostFunction(ran::incrementAndGet);
        finish(stream);
      }
    }
    assertEquals(ran.get(), 100);
  }

  @Test
  public void shouldTellWhatAHostFunctionThrew() {
    if (!has(DeviceFeature.HOST_FUNCTIONS)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    try (DeviceMemory block = device.allocate(8);
        Stream sound = device.newStream();
        Stream failed = device.newStream()) {
      IllegalStateException thrown = new IllegalStateException("on purpose");
      failed.launchHostFunction(
          () -> {
            throw thrown;
          });
      assertSame(expectThrows(IllegalStateException.class, () -> finish(failed)), thrown);
      assertSame(expectThrows(IllegalStateException.class, failed::isIdle), thrown, "for good");
      if (!name.equals("host")) { // whose streams take work, and drop it
        assertThrows(
            IllegalStateException.class,
            () -> device.fillAsync(block.address(), (byte) 1, 8, failed));
        assertThrows(IllegalStateException.class, () -> failed.launchHostFunction(() -> {}));
      }
      put(device, block.address(), new byte[8]);
      finish(sound);
    }
  }

  @Test
  public void shouldTellOfErrorsToo() {
    if (!has(DeviceFeature.HOST_FUNCTIONS)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    for (int i = 0; i < 50; i++) { // it may end at any moment of the look whether it has
      try (Stream stream = device.newStream()) {
        stream.launchHostFunction(
            () -> {
              throw new AssertionError("on purpose");
            });
        AbortedException error = expectThrows(AbortedException.class, () -> spin(stream));
        assertTrue(error.getMessage().contains("on purpose"), error.getMessage());
      }
    }
  }

  private static void spin(Stream stream) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!stream.isIdle()) {
      assertTrue(System.nanoTime() < deadline, "the stream is not idle after 60 s");
    }
  }

  @Test
  public void shouldTellTheThreadsHandlerWhenTheStreamIsClosedBeforeItsFunctionThrows() {
    if (!name.equals("emu-nvidia")) {
      return; // what becomes of the work of a stream that is closed, each vendor decides
    }
    AtomicReference<Throwable> told = new AtomicReference<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> told.set(error));
    IllegalStateException thrown = new IllegalStateException("on purpose");
    try {
      LongCell gate = hold.word();
      try (Stream stream = device.newStream()) {
        hold.at(stream, gate.address(), 1);
        stream.launchHostFunction(
            () -> {
              throw thrown;
            });
      }
      gate.setRelease(1);
      await("the handler", () -> told.get() != null);
      assertSame(told.get(), thrown);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @Test
  public void shouldEnableAccessToAPeerAsOftenAsItIsAskedTo() {
    if (!has(DeviceFeature.PEER_ACCESS) || source.devices().size() < 2) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    try (DeviceAdaptor same = source.open(0);
        DeviceAdaptor other = source.open(1)) {
      assertTrue(device.canAccessPeer(1) && other.canAccessPeer(0));
      assertTrue(device.canAccessPeer(0), "its own");
      device.enablePeerAccess(0);
      device.enablePeerAccess(1);
      device.enablePeerAccess(1);
      same.enablePeerAccess(1);
      other.enablePeerAccess(0);
      try (DeviceMemory near = device.allocate(SIZE);
          DeviceMemory far = other.allocate(SIZE);
          Stream stream = device.newStream()) {
        put(other, far.address(), new byte[] {4, 2});
        copyOnDevice(near.address(), far.address(), stream);
        assertEquals(get(device, near.address(), 2), new byte[] {4, 2});
      }
    }
  }

  @Test
  public void shouldNameTheDevicesThereAreWhenThePeerIsNone() {
    if (!has(DeviceFeature.PEER_ACCESS)) {
      return; // shouldRefuseWhatItsVendorDoesNotHave
    }
    UsageException error = expectThrows(UsageException.class, () -> device.enablePeerAccess(1_000));
    assertTrue(error.getMessage().contains("0 to "), error.getMessage());
  }
}
