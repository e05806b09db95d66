// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static io.tombolo.emulated.TestDevices.finish;
import static io.tombolo.emulated.TestDevices.get;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.CompilerDialect;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.device.KernelCompiler;
import io.tombolo.base.Availability;
import io.tombolo.base.DataType;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.VendorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Kernels of the emulated devices, through the rows and calls of the real ones; {@link
 * DeviceConformanceTest} has them do every operator of every type.
 */
public final class KernelsTest {
  private static final int INVALID_IMAGE = 200;
  private static final int LAUNCH_FAILED = 719;
  private static final int COUNT = 1000;

  @DataProvider
  public static Object[][] devices() {
    return new Object[][] {
      {EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA), "emulated NVRTC 12.9"},
      {EmulatedLibrary.AMD.devices(DeviceDialects.HIP), "emulated hipRTC 5.2"},
    };
  }

  @DataProvider
  public static Object[][] compilers() {
    return new Object[][] {
      {CompilerDialect.NVRTC.withLibraries(EmulatedLibrary.NVIDIA.load())},
      {CompilerDialect.HIPRTC.withLibraries(EmulatedLibrary.AMD.load())},
    };
  }

  @Test(dataProvider = "devices")
  public void shouldBeCompiledByAnEmulatedCompiler(DeviceSource source, String compiler) {
    try (DeviceAdaptor device = source.open(0)) {
      assertEquals(device.reducing(), new Availability.Available(compiler));
    }
  }

  @Test(dataProvider = "devices")
  public void shouldRunInTheStreamsOrder(DeviceSource source, String compiler) {
    try (DeviceAdaptor device = source.open(0);
        DeviceReducer reducer = device.newReducer();
        DeviceMemory numbers = device.allocatePinned(8L * COUNT);
        Stream stream = device.newStream()) {
      LongCell word = device.newWords(1).get(0);
      for (int i = 0; i < COUNT; i++) {
        NativeMemory.cellAt(numbers.address(8L * i, 8)).setRelease(i);
      }
      device.waitValueAsync(stream, word.address(), 1);
      long at = numbers.address();
      for (int round = 0; round < 3; round++) { // each doubles what the one before has left
        reducer.reduceAsync(ReduceOp.SUM, DataType.I64, at, at, at, COUNT, stream);
      }
      assertFalse(stream.isIdle(), "a launch must not wait, and its kernel must");
      assertEquals(NativeMemory.cellAt(numbers.address(8, 8)).getAcquire(), 1);
      word.setRelease(1);
      finish(stream);
      for (int i = 0; i < COUNT; i++) {
        assertEquals(NativeMemory.cellAt(numbers.address(8L * i, 8)).getAcquire(), 8L * i);
      }
    }
  }

  @Test(dataProvider = "devices")
  public void shouldChecksumWhatTheStreamHasWritten(DeviceSource source, String compiler) {
    try (DeviceAdaptor device = source.open(0);
        DeviceChecksummer checksummer = device.newChecksummer().orElseThrow();
        DeviceMemory bytes = device.allocate(COUNT);
        DeviceMemory result = device.allocate(DeviceChecksummer.RESULT_BYTES);
        Stream stream = device.newStream()) {
      LongCell word = device.newWords(1).get(0);
      device.waitValueAsync(stream, word.address(), 1);
      device.fillAsync(bytes.address(), (byte) 7, COUNT, stream);
      checksummer.checksumAsync(result.address(), bytes.address(), COUNT, stream);
      assertFalse(stream.isIdle(), "a launch must not wait, and its kernel must");
      word.setRelease(1);
      finish(stream);
      byte[] sevens = new byte[COUNT];
      Arrays.fill(sevens, (byte) 7);
      CRC32C crc = new CRC32C();
      crc.update(sevens);
      assertEquals(
          ByteBuffer.wrap(get(device, result.address(), DeviceChecksummer.RESULT_BYTES))
              .order(ByteOrder.LITTLE_ENDIAN)
              .getInt(),
          (int) crc.getValue());
    }
  }

  @Test(dataProvider = "devices")
  public void shouldFailTheStreamWhenTheirMemoryIsNotTheDevices(
      DeviceSource source, String compiler) {
    try (DeviceAdaptor device = source.open(0);
        DeviceReducer reducer = device.newReducer();
        NativeMemory host = NativeMemory.allocate(64);
        Stream stream = device.newStream()) {
      long at = host.address();
      reducer.reduceAsync(ReduceOp.SUM, DataType.F32, at, at, at, 16, stream);
      VendorException error = expectThrows(VendorException.class, () -> finish(stream));
      assertEquals(error.rawCode(), LAUNCH_FAILED);
    }
  }

  @Test
  public void shouldBeRefusedByAnotherVendorsDriver() {
    DeviceDialect mixed =
        DeviceDialects.HIP
            .withLibraries(EmulatedLibrary.AMD.load())
            .withCompiler(
                Optional.of(CompilerDialect.NVRTC.withLibraries(EmulatedLibrary.NVIDIA.load())));
    try (DeviceAdaptor device = DeviceSource.of(() -> mixed).open(0)) {
      VendorException error = expectThrows(VendorException.class, device::newReducer);
      assertEquals(error.rawCode(), INVALID_IMAGE);
    }
  }

  @Test(dataProvider = "compilers")
  public void shouldNotPretendToCompileAnythingElse(CompilerDialect row) {
    KernelCompiler compiler = new KernelCompiler(row);
    VendorException error =
        expectThrows(
            VendorException.class,
            () -> compiler.compile(KernelCompiler.reductions() + "// more", ImmutableList.of()));
    assertTrue(error.getMessage().contains("no other source"), error.getMessage());
    assertTrue(compiler.compile(KernelCompiler.reductions(), ImmutableList.of()).length > 0);
    assertTrue(compiler.compile(KernelCompiler.checksum(), ImmutableList.of()).length > 0);
  }
}
