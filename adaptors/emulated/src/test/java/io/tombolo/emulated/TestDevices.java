// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.AscendDialect;
import io.tombolo.adaptors.device.CambriconDialect;
import io.tombolo.adaptors.device.CompatibleDialects;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.device.GaudiDialect;
import io.tombolo.adaptors.device.LevelZeroDialect;
import io.tombolo.adaptors.device.MusaDialect;
import io.tombolo.adaptors.device.RuntimeLikeDialects;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What tests of devices share: the devices, and moving bytes in and out of them. */
final class TestDevices {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private TestDevices() {}

  /** Those that are always there, and NVIDIA's where there is one. */
  static ImmutableMap<String, DeviceSource> all() {
    DeviceSource nvidia = DeviceSource.of(() -> DeviceDialects.CUDA);
    return ImmutableMap.<String, DeviceSource>builder()
        .putAll(nvidia.availability().isAvailable() ? Map.of("nvidia", nvidia) : Map.of())
        .put("host", DeviceSource.host())
        .put("emu-nvidia", EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA))
        .put("emu-amd", EmulatedLibrary.AMD.devices(DeviceDialects.HIP))
        .put("emu-ascend", EmulatedLibrary.ASCEND.devices(AscendDialect.ACL))
        .put("emu-kunlunxin", EmulatedLibrary.KUNLUNXIN.devices(CompatibleDialects.KUNLUNXIN))
        .put("emu-kunlunxin-xre", EmulatedVendors.xre())
        .put("emu-gaudi", EmulatedLibrary.GAUDI.devices(GaudiDialect.SYNAPSE_AI))
        .put("emu-cambricon", EmulatedLibrary.CAMBRICON.devices(CambriconDialect.CNRT))
        .put("emu-level-zero", EmulatedLibrary.LEVEL_ZERO.devices(LevelZeroDialect.ZE))
        .put("emu-maca", EmulatedLibrary.MACA.devices(RuntimeLikeDialects.MACA))
        .put("emu-musa", EmulatedLibrary.MUSA.devices(MusaDialect.MUSA))
        .put("emu-tops", EmulatedLibrary.TOPS.devices(RuntimeLikeDialects.TOPS))
        .buildOrThrow();
  }

  static void await(String what, BooleanSupplier condition) {
    Deadline deadline = Deadline.after(PATIENCE);
    while (!condition.getAsBoolean()) {
      assertTrue(!deadline.isExpired(), "waited in vain for " + what + ": " + deadline);
      LockSupport.parkNanos(20_000);
    }
  }

  static void finish(Stream stream) {
    await("the stream to be idle", stream::isIdle);
  }

  static void put(DeviceAdaptor device, long destination, byte[] bytes) {
    try (DeviceMemory staging = device.allocatePinned(bytes.length);
        Stream stream = device.newStream()) {
      write(staging.address(), bytes);
      device.copyAsync(
          CopyDirection.HOST_TO_DEVICE, destination, staging.address(), bytes.length, stream);
      finish(stream);
    }
  }

  static byte[] get(DeviceAdaptor device, long source, int length) {
    try (DeviceMemory staging = device.allocatePinned(length);
        Stream stream = device.newStream()) {
      device.copyAsync(CopyDirection.DEVICE_TO_HOST, staging.address(), source, length, stream);
      finish(stream);
      return read(staging.address(), length);
    }
  }

  /** Writes to host memory. */
  static void write(long address, byte[] bytes) {
    try (NativeMemory copy = NativeMemory.allocate(bytes.length)) {
      copy.put(0, bytes, 0, bytes.length);
      NativeMemory.copy(address, copy.address(), bytes.length);
    }
  }

  /** Reads host memory. */
  static byte[] read(long address, int length) {
    try (NativeMemory copy = NativeMemory.allocate(length)) {
      NativeMemory.copy(copy.address(), address, length);
      return copy.get(0, length);
    }
  }
}
