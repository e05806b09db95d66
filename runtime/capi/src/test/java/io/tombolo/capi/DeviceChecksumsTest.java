// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Checksums of tensors on devices, as the store keeps them. */
public class DeviceChecksumsTest {
  private static final int BYTES = 700_001; // several blocks of threads
  private static final StreamPatience PATIENCE = new StreamPatience(0, Duration.ofSeconds(60));

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
    return (DeviceAdaptor)
        Proxy.newProxyInstance(
            DeviceAdaptor.class.getClassLoader(),
            new Class<?>[] {DeviceAdaptor.class},
            (self, method, arguments) -> {
              if (method.getName().equals("copyAsync")
                  && arguments[0] == CopyDirection.DEVICE_TO_HOST) {
                toHost.addAndGet((long) arguments[3]);
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static int crc32c(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }
}
