// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.store.OpenPut;
import io.tombolo.store.Snapshot;
import io.tombolo.store.StoreOptions;
import io.tombolo.store.TensorStore;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Checksums of tensors on devices, as the store keeps them. */
public class DeviceChecksumsTest {
  private static final int BYTES = 700_001; // several blocks of threads
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final StreamPatience PATIENCE = new StreamPatience("rank 0", LONG);

  @DataProvider
  public static Object[][] vendors() {
    return new Object[][] {{"emu-nvidia"}, {"emu-amd"}, {"host"}};
  }

  /** For the sum, nothing but the sum comes to the host; and the commit takes it as it is. */
  @Test(dataProvider = "vendors", timeOut = 300_000)
  public void shouldBeCommittedWithoutBringingTheBytesToTheHost(String vendor) {
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    byte[] values = new byte[BYTES];
    for (int index = 0; index < BYTES; index++) {
      values[index] = (byte) (index * 31 + index / 251);
    }
    try (Volume volume = Volume.serve(anyPort, token, VolumeOptions.of(1 << 20));
        TensorStore store = TensorStore.connect(volume.address(), token, StoreOptions.defaults());
        DeviceAdaptor real = Vendors.named(vendor).openDevice(0);
        DeviceMemory tensor = real.allocate(BYTES);
        NativeMemory host = NativeMemory.allocate(BYTES)) {
      host.put(0, values, 0, BYTES);
      AtomicLong toHost = new AtomicLong();
      DeviceAdaptor device = counting(real, toHost);
      try (BlockingCopies copies = new BlockingCopies(real, PATIENCE);
          DeviceChecksums checksums = new DeviceChecksums(device, PATIENCE);
          OpenPut put = store.begin("", Map.of("w", TensorSpec.of(DataType.U8, BYTES)))) {
        copies.copy(tensor.address(), host.address(), BYTES, true);
        put.setChecksum("w", checksums.of(tensor.address(), BYTES));
        assertEquals(checksums.of(tensor.address(3, 9), 9), crc32c(values, 3, 9));
        assertEquals(checksums.of(tensor.address(), 0), 0);
        copies.copy(put.address("w"), tensor.address(), BYTES, false);
        put.commit();
      }
      assertEquals(toHost.get(), 3 * 4);
      try (Snapshot snapshot = store.open(List.of("w"))) {
        assertEquals(snapshot.checksum("w"), crc32c(values, 0, BYTES));
        snapshot.verify("w");
      }
    }
  }

  /** A kernel that reads there would end the device's work. */
  @Test
  public void shouldRefuseMemoryThatIsNotTheDevices() {
    try (DeviceAdaptor device = Vendors.named("emu-nvidia").openDevice(0);
        DeviceMemory own = device.allocate(8);
        NativeMemory host = NativeMemory.allocate(8);
        DeviceChecksums checksums = new DeviceChecksums(device, PATIENCE)) {
      UsageException refused =
          expectThrows(UsageException.class, () -> checksums.of(host.address(), 8));
      assertTrue(refused.getMessage().contains("no device's memory"), refused.getMessage());
      assertEquals(checksums.of(host.address(), 0), 0);
      int unused = checksums.of(own.address(), 8);
    }
  }

  /** What is queued there comes first: as long as that is held, there is no checksum. */
  @Test(timeOut = 300_000)
  public void shouldComeAfterTheCallersStream() {
    byte[] sevens = new byte[BYTES];
    Arrays.fill(sevens, (byte) 7);
    try (DeviceAdaptor device = Vendors.named("emu-nvidia").openDevice(0);
        DeviceMemory tensor = device.allocate(BYTES);
        DeviceChecksums checksums = new DeviceChecksums(device, PATIENCE);
        Stream callers = device.newStream()) {
      OptionalLong after = OptionalLong.of(callers.nativeHandle());
      LongCell gate = device.newWords(1).get(0);
      device.fillAsync(tensor.address(), (byte) 0, BYTES, callers);
      assertEquals(checksums.of(tensor.address(), BYTES, after, LONG), crc32c(new byte[BYTES]));
      device.waitValueAsync(callers, gate.address(), 1);
      device.fillAsync(tensor.address(), (byte) 7, BYTES, callers);
      DeadlineExceededException late =
          expectThrows(
              DeadlineExceededException.class,
              () -> checksums.of(tensor.address(), BYTES, after, Duration.ofMillis(50)));
      assertTrue(late.getMessage().contains("after 50 ms"), late.getMessage());
      gate.setRelease(1);
      assertEquals(checksums.of(tensor.address(), BYTES, after, LONG), crc32c(sevens));
    }
  }

  /** Neither once a caller has given up its own stream, nor while it waits for that. */
  @Test(timeOut = 300_000)
  public void shouldHoldUpNobodyElse() throws Exception {
    CountDownLatch asked = new CountDownLatch(2);
    try (DeviceAdaptor real = Vendors.named("emu-nvidia").openDevice(0);
        DeviceMemory tensor = real.allocate(BYTES);
        Stream held = real.newStream();
        Stream callers = real.newUrgentStream(); // of no queue that the other has
        DeviceChecksums checksums =
            new DeviceChecksums(noticing(real, held.nativeHandle(), asked), PATIENCE)) {
      long address = tensor.address();
      OptionalLong after = OptionalLong.of(callers.nativeHandle());
      OptionalLong afterHeld = OptionalLong.of(held.nativeHandle());
      int zeros = crc32c(new byte[BYTES]);
      real.fillAsync(address, (byte) 0, BYTES, callers);
      assertEquals(checksums.of(address, BYTES, after, LONG), zeros);
      LongCell gate = real.newWords(1).get(0);
      real.waitValueAsync(held, gate.address(), 1);
      try {
        assertThrows(
            DeadlineExceededException.class,
            () -> checksums.of(address, 8, afterHeld, Duration.ofMillis(50)));
        assertEquals(checksums.of(address, BYTES, after, LONG), zeros);
        FutureTask<Integer> waiting =
            new FutureTask<>(() -> checksums.of(address, BYTES, afterHeld, LONG));
        new Thread(waiting, "waits for the held stream").start();
        assertTrue(asked.await(LONG.toSeconds(), TimeUnit.SECONDS), "it does not come");
        assertEquals(checksums.of(address, BYTES, after, LONG), zeros);
        assertFalse(waiting.isDone(), "its stream is still held");
        gate.setRelease(1);
        assertEquals((int) waiting.get(LONG.toSeconds(), TimeUnit.SECONDS), zeros);
      } finally {
        gate.setRelease(1);
      }
    }
  }

  @Test
  public void shouldRefuseToComeAfterAnotherDevicesStream() {
    try (DeviceAdaptor device = Vendors.named("emu-nvidia").openDevice(0);
        DeviceAdaptor other = Vendors.named("emu-nvidia").openDevice(1);
        DeviceMemory tensor = device.allocate(8);
        DeviceChecksums checksums = new DeviceChecksums(device, PATIENCE);
        Stream callers = other.newStream()) {
      OptionalLong after = OptionalLong.of(callers.nativeHandle());
      UsageException refused =
          expectThrows(UsageException.class, () -> checksums.of(tensor.address(), 8, after, LONG));
      assertTrue(refused.getMessage().contains("after a stream that"), refused.getMessage());
    }
  }

  /** What runs no kernels is not even opened: its runtime may be another library's business. */
  @Test(timeOut = 300_000)
  public void shouldNeedNoCommunicator() {
    byte[] nines = new byte[BYTES];
    Arrays.fill(nines, (byte) 9);
    OptionalLong byHost = OptionalLong.empty();
    try (DeviceAdaptor device = Vendors.named("emu-amd").openDevice(0);
        DeviceMemory tensor = device.allocate(BYTES);
        Stream stream = device.newStream();
        DeviceSums sums = new DeviceSums(Vendors::named)) {
      long address = tensor.address();
      device.fillAsync(address, (byte) 9, BYTES, stream);
      OptionalLong after = OptionalLong.of(stream.nativeHandle());
      assertEquals(sums.of("emu-amd", 0, address, BYTES, after, LONG), crc32c(nines));
      assertEquals(sums.of("emu-amd", 0, address, 3, byHost, LONG), crc32c(new byte[] {9, 9, 9}));
      for (String vendor : List.of("host", "emu-ascend", "emu-kunlunxin")) {
        UnsupportedException none =
            expectThrows(
                UnsupportedException.class, () -> sums.of(vendor, 0, address, 8, byHost, LONG));
        assertTrue(none.getMessage().contains("leave the checksum out"), none.getMessage());
      }
      assertThrows(UsageException.class, () -> sums.of("nobody", 0, address, 8, byHost, LONG));
    }
  }

  /** Trying takes a second; there may be thousands of tensors. */
  @Test
  public void shouldNotCompileAgainWhatWasRefused() {
    AtomicInteger compiled = new AtomicInteger();
    try (DeviceAdaptor real = Vendors.named("emu-nvidia").openDevice(0);
        DeviceChecksums checksums = new DeviceChecksums(refusing(real, compiled), PATIENCE)) {
      for (int i = 0; i < 3; i++) {
        UnsupportedException none =
            expectThrows(UnsupportedException.class, () -> checksums.of(0, 1));
        assertTrue(none.getMessage().contains("no such PTX"), none.getMessage());
      }
      assertEquals(compiled.get(), 1);
    }
  }

  /** A device may be full for a while; what was compiled for it stays. */
  @Test
  public void shouldGoOnOnceThereIsMemoryAgain() {
    List<String> made = new ArrayList<>();
    try (DeviceAdaptor real = Vendors.named("emu-nvidia").openDevice(0);
        DeviceMemory tensor = real.allocate(8);
        DeviceChecksums checksums = new DeviceChecksums(filling(real, made), PATIENCE)) {
      for (String full : List.of("allocate", "allocatePinned", "newUrgentStream")) {
        ResourceException none =
            expectThrows(ResourceException.class, () -> checksums.of(tensor.address(), 8));
        assertEquals(none.getMessage(), "no room: " + full);
      }
      assertEquals(checksums.of(tensor.address(), 0), 0);
      assertEquals(
          made,
          List.of(
              "newChecksummer",
              "allocate",
              "allocate",
              "allocatePinned",
              "allocatePinned",
              "newUrgentStream",
              "newUrgentStream"));
    }
  }

  @Test
  public void shouldSayWhereThereAreNone() {
    try (DeviceAdaptor device = Vendors.named("emu-ascend").openDevice(0);
        DeviceChecksums checksums = new DeviceChecksums(device, PATIENCE)) {
      UnsupportedException none =
          expectThrows(UnsupportedException.class, () -> checksums.of(0, 1));
      assertTrue(none.getMessage().contains("runs no kernels"), none.getMessage());
      assertTrue(none.getMessage().contains("commit without one"), none.getMessage());
    }
  }

  /** {@code real}; adds up the bytes that its copies bring to the host. */
  private static DeviceAdaptor counting(DeviceAdaptor real, AtomicLong toHost) {
    return watched(
        real,
        (method, arguments) -> {
          if (method.equals("copyAsync") && arguments[0] == CopyDirection.DEVICE_TO_HOST) {
            toHost.addAndGet((long) arguments[3]);
          }
        });
  }

  /** {@code real}; counts how often it is asked for the caller's stream {@code handle}. */
  private static DeviceAdaptor noticing(DeviceAdaptor real, long handle, CountDownLatch asked) {
    return watched(
        real,
        (method, arguments) -> {
          if (method.equals("streamOf") && (long) arguments[0] == handle) {
            asked.countDown();
          }
        });
  }

  /** {@code real}, with a driver that does not take what its compiler makes; counts the tries. */
  private static DeviceAdaptor refusing(DeviceAdaptor real, AtomicInteger compiled) {
    return watched(
        real,
        (method, arguments) -> {
          if (method.equals("newChecksummer")) {
            compiled.incrementAndGet();
            throw new VendorException("no such PTX", 222);
          }
        });
  }

  /** {@code real}, which has no room for what it is asked for the first time; lists all of it. */
  private static DeviceAdaptor filling(DeviceAdaptor real, List<String> made) {
    return watched(
        real,
        (method, arguments) -> {
          boolean takesMemory = method.startsWith("allocate") || method.equals("newUrgentStream");
          boolean isFull = takesMemory && !made.contains(method);
          if (takesMemory || method.equals("newChecksummer")) {
            made.add(method);
          }
          if (isFull) {
            throw new ResourceException("no room: " + method);
          }
        });
  }

  private static DeviceAdaptor watched(DeviceAdaptor real, BiConsumer<String, Object[]> before) {
    return (DeviceAdaptor)
        Proxy.newProxyInstance(
            DeviceAdaptor.class.getClassLoader(),
            new Class<?>[] {DeviceAdaptor.class},
            (self, method, arguments) -> {
              before.accept(method.getName(), arguments);
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static int crc32c(byte[] bytes) {
    return crc32c(bytes, 0, bytes.length);
  }

  private static int crc32c(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }
}
