// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.reflect.Reflection;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.DialectCcl;
import io.tombolo.adaptors.ccl.Entry;
import io.tombolo.adaptors.ccl.LibrarySource;
import io.tombolo.adaptors.ccl.OnDevice;
import io.tombolo.base.Availability;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What the seam refuses before the library is asked, and what it makes of the library's refusals.
 */
public final class CclSeamTest {

  @DataProvider
  public static Object[][] libraries() {
    return new Object[][] {
      {CclUnderTest.EMU_NVIDIA},
      {CclUnderTest.EMU_AMD},
      {CclUnderTest.EMU_INTEL},
      {CclUnderTest.EMU_ASCEND},
      {CclUnderTest.EMU_KUNLUNXIN},
      {CclUnderTest.EMU_KUNLUNXIN_XRE},
      {CclUnderTest.EMU_GAUDI},
      {CclUnderTest.HOST}
    };
  }

  @Test(dataProvider = "libraries")
  public void shouldRefuseWhatIsNotDeclared(CclUnderTest library) {
    alone(
        library,
        (communicator, stream) -> {
          assertThrows(
              UnsupportedException.class,
              () -> communicator.allReduce(0, 0, 1, DataType.BOOL, ReduceOp.AVG, stream));
          if (!library.dialect().capabilities().reduceOps().contains(ReduceOp.AVG)) {
            assertThrows(
                UnsupportedException.class,
                () -> communicator.reduce(0, 0, 1, DataType.F32, ReduceOp.AVG, 0, stream));
          }
          if (!library.dialect().capabilities().has(Flag.ABORT)) {
            assertThrows(UnsupportedException.class, communicator::abort);
          }
          if (!library.dialect().capabilities().has(Flag.REGISTERED_BUFFERS)) {
            assertThrows(UnsupportedException.class, () -> communicator.register(null));
          }
          if (!library.dialect().capabilities().has(Flag.GROUP)) {
            assertThrows(UnsupportedException.class, communicator::groupStart);
          }
          assertTrue(communicator.asyncError().isEmpty());
        });
  }

  /** What is declared is looked up once for calls of one kind that follow each other. */
  @Test(dataProvider = "libraries")
  public void shouldRefuseWhatIsNotDeclaredAlsoAfterWhatIs(CclUnderTest library) {
    alone(
        library,
        (communicator, stream) -> {
          for (int i = 0; i < 2; i++) {
            assertThrows(
                UsageException.class,
                () -> communicator.allReduce(0, 0, -1, DataType.F32, ReduceOp.SUM, stream));
            assertThrows(
                UnsupportedException.class,
                () -> communicator.allReduce(0, 0, -1, DataType.BOOL, ReduceOp.AVG, stream));
          }
        });
  }

  @Test(dataProvider = "libraries")
  public void shouldRefuseArgumentsThatMakeNoSense(CclUnderTest library) {
    alone(
        library,
        (communicator, stream) -> {
          assertThrows(
              UsageException.class, () -> communicator.broadcast(0, 0, 1, DataType.F32, 1, stream));
          assertThrows(
              UsageException.class, () -> communicator.allGather(0, 0, -1, DataType.F32, stream));
        });
    opened(
        library,
        ccl -> {
          byte[] id = ccl.newUniqueId();
          assertThrows(UsageException.class, () -> ccl.join(new byte[3], 0, 1));
          assertThrows(UsageException.class, () -> ccl.join(id, 2, 2));
          VendorException refused =
              expectThrows(VendorException.class, () -> ccl.join(new byte[id.length], 0, 2));
          int argument =
              Map.of(CclUnderTest.HOST, 2, CclUnderTest.EMU_ASCEND, 1, CclUnderTest.EMU_GAUDI, 7)
                  .getOrDefault(library, 4);
          assertEquals(refused.rawCode(), argument);
          boolean speaks =
              Entry.GET_ERROR_STRING.symbol(library.dialect()).isPresent()
                  && library != CclUnderTest.EMU_GAUDI; // it words its codes, not its last error
          assertEquals(refused.getMessage().contains("no unique id"), speaks, refused.getMessage());
        });
  }

  @Test(dataProvider = "libraries")
  public void shouldFailWhenUsedAfterClose(CclUnderTest library) {
    alone(
        library,
        (communicator, stream) -> {
          communicator.close();
          communicator.close();
          assertThrows(
              IllegalStateException.class,
              () -> communicator.allReduce(0, 0, 0, DataType.F32, ReduceOp.SUM, stream));
        });
    opened(
        library,
        ccl -> {
          ccl.close();
          ccl.close();
          assertThrows(IllegalStateException.class, ccl::newUniqueId);
        });
  }

  @Test
  public void shouldReportTheLibrarysRefusalOfAnAddressThatIsNotTheDevices() {
    alone(
        CclUnderTest.EMU_NVIDIA,
        (communicator, stream) -> {
          VendorException refused =
              expectThrows(
                  VendorException.class,
                  () -> communicator.allReduce(4096, 4096, 1, DataType.F32, ReduceOp.SUM, stream));
          assertEquals(refused.rawCode(), 4);
          assertTrue(refused.getMessage().contains("not device memory"), refused.getMessage());
        });
  }

  @Test
  public void shouldNameTheSymbolThatALibraryLacks() {
    CclDialect row =
        EmulatedCcl.oneCcl()
            .like(
                "test",
                CclUnderTest.EMU_NVIDIA.dialect().source(),
                EmulatedCcl.oneCcl().capabilities());
    UnavailableException error =
        expectThrows(UnavailableException.class, () -> DialectCcl.open(row, OnDevice.NONE));
    assertTrue(error.getMessage().contains("no symbol onecclGetVersion"), error.getMessage());
  }

  @Test
  public void shouldNameTheSymbolThatALibraryLacksToRegisterBuffers() {
    Capabilities nccl = EmulatedCcl.nccl().capabilities();
    CclDialect row =
        EmulatedCcl.nccl()
            .like(
                "test",
                CclUnderTest.EMU_NVIDIA.dialect().source(),
                Capabilities.of(
                    nccl.primitives(),
                    nccl.types(),
                    nccl.reduceOps(),
                    Set.of(Flag.REGISTERED_BUFFERS)));
    UnavailableException error =
        expectThrows(UnavailableException.class, () -> DialectCcl.open(row, OnDevice.NONE));
    assertTrue(error.getMessage().contains("no symbol ncclMemAlloc"), error.getMessage());
  }

  @Test
  public void shouldRefuseMemoryThatCannotBeRegistered() {
    opened(
        CclUnderTest.EMU_NVIDIA,
        ccl -> assertThrows(UnsupportedException.class, () -> ccl.allocate(8)));
    opened(
        CclUnderTest.HOST,
        ccl -> {
          assertThrows(UsageException.class, () -> ccl.allocate(0));
          assertThrows(UsageException.class, () -> ccl.allocate(-1));
          assertEquals(
              expectThrows(VendorException.class, () -> ccl.allocate(Long.MAX_VALUE)).rawCode(), 1);
        });
    try (DeviceAdaptor device = CclUnderTest.HOST.vendor().openDevice(0);
        DeviceMemory foreign = device.allocate(8)) {
      alone(
          CclUnderTest.HOST,
          (communicator, stream) ->
              assertThrows(UsageException.class, () -> communicator.register(foreign)));
    }
  }

  @Test
  public void shouldKeepRegisteredMemoryUntilItIsClosedItself() {
    try (DeviceAdaptor device = CclUnderTest.HOST.vendor().openDevice(0)) {
      CclAdaptor ccl = CclUnderTest.HOST.vendor().openCcl(device);
      CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1);
      DeviceMemory memory = ccl.allocate(5000);
      communicator.register(memory);
      communicator.register(memory);
      communicator.close();
      assertThrows(IllegalStateException.class, () -> communicator.register(memory));
      ccl.close();
      NativeMemory.viewOf(memory.address(), 5000).put(4999, (byte) 1);
      assertEquals(memory.sizeBytes(), 5000);
      memory.close();
      memory.close();
      assertThrows(IllegalStateException.class, memory::address);
    }
  }

  @Test
  public void shouldRefuseToRegisterMemoryThatIsClosed() {
    try (DeviceAdaptor device = CclUnderTest.HOST.vendor().openDevice(0);
        CclAdaptor ccl = CclUnderTest.HOST.vendor().openCcl(device);
        CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1)) {
      DeviceMemory memory = ccl.allocate(1);
      memory.close();
      assertThrows(IllegalStateException.class, () -> communicator.register(memory));
      assertTrue(communicator.asyncError().isEmpty());
    }
  }

  @Test(dataProvider = "libraries")
  public void shouldHaveAnEntryPointForEverythingThatTheRowDeclares(CclUnderTest library) {
    opened(library, ccl -> assertEquals(ccl.capabilities(), library.dialect().capabilities()));
  }

  /** RCCL spells it otherwise, as an NCCL before 2.28 does not have it at all. */
  @Test
  public void shouldNotDeclareAnOperationThatTheLibraryHasNoEntryPointFor() {
    CclDialect row =
        EmulatedCcl.nccl()
            .like(
                "test", CclUnderTest.EMU_AMD.dialect().source(), EmulatedCcl.nccl().capabilities());
    try (DialectCcl ccl = DialectCcl.open(row, OnDevice.NONE)) {
      assertFalse(ccl.capabilities().primitives().contains(Primitive.ALL_TO_ALL));
      assertTrue(ccl.capabilities().primitives().contains(Primitive.GATHER));
    }
  }

  @Test
  public void shouldRefuseAnAllToAllInPlaceAndAPeerThatIsNone() {
    alone(
        CclUnderTest.EMU_NVIDIA,
        (communicator, stream) -> {
          assertThrows(
              UsageException.class, () -> communicator.allToAll(8, 8, 1, DataType.I8, stream));
          assertThrows(UsageException.class, () -> communicator.send(8, 1, DataType.I8, 1, stream));
          assertThrows(
              UsageException.class, () -> communicator.receive(8, 1, DataType.I8, -1, stream));
        });
  }

  /** Both are called on threads that have not had to do with the device. */
  @Test
  public void shouldMakeTheDeviceCurrentToCloseAndToAbort() {
    List<String> calls = new ArrayList<>();
    try (DeviceAdaptor device = CclUnderTest.EMU_NVIDIA.vendor().openDevice(0);
        CclAdaptor ccl =
            DialectCcl.open(
                CclUnderTest.EMU_NVIDIA.dialect(), recorded(OnDevice.of(device), calls))) {
      for (Consumer<CclCommunicator> end :
          List.<Consumer<CclCommunicator>>of(CclCommunicator::close, CclCommunicator::abort)) {
        CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1);
        calls.clear();
        end.accept(communicator);
        assertEquals(calls, List.of("bind", "unbind"));
      }
    }
  }

  private static OnDevice recorded(OnDevice device, List<String> calls) {
    return Reflection.newProxy(
        OnDevice.class,
        (proxy, method, arguments) -> {
          calls.add(method.getName());
          return method.invoke(device, arguments);
        });
  }

  @Test
  public void shouldAskQuirksOfTheNamedVendorsOnly() {
    Map<String, String> environment =
        Map.of(
            "TOMBOLO_EMU_SAME_ORDER_ONLY",
            "emu-amd,emu-intel",
            "TOMBOLO_EMU_EQUAL_COUNTS_ONLY",
            "1");
    assertEquals(
        EmulatedCcl.quirks("emu-amd", environment),
        Set.of(Flag.SAME_ORDER_ONLY, Flag.EQUAL_COUNTS_ONLY));
    assertEquals(EmulatedCcl.quirks("emu-nvidia", environment), Set.of(Flag.EQUAL_COUNTS_ONLY));
    assertEquals(EmulatedCcl.quirks("emu-nvidia", Map.of()), Set.of());
  }

  @Test
  public void shouldSayWhatToDoWhenThereIsNoLibrary() {
    Availability availability = DialectCcl.probe(CclDialects.oneCcl(Path.of("/nowhere")));
    assertTrue(availability instanceof Availability.Missing, availability.toString());
    assertTrue(availability.toString().contains("./tombolo get oneccl"), availability.toString());
    assertTrue(availability.toString().contains("/nowhere/libintlc.so.5"), availability.toString());
  }

  /** NCCL itself loads without a device; everything up to the first use of one can be tried. */
  @Test
  public void shouldOpenTheRealNcclAndReportItsRefusalWithoutADevice() {
    String folder = System.getenv("TOMBOLO_WITNESS_DIR");
    Path file = folder == null ? null : Path.of(folder, "nccl", "lib", "libnccl.so.2");
    if (file == null || !Files.exists(file)) {
      throw new SkipException(
          "no nccl/lib/libnccl.so.2 in TOMBOLO_WITNESS_DIR: .ci/witnesses FOLDER fetches it");
    }
    CclDialect row = CclDialects.nccl();
    CclDialect real =
        row.like(
            "NCCL", LibrarySource.named(ImmutableList.of(file.toString())), row.capabilities());
    try (DialectCcl nccl = DialectCcl.open(real, OnDevice.NONE)) {
      assertTrue(nccl.version().matches("2\\.\\d+\\.\\d+"), nccl.version());
      if (Files.exists(Path.of("/dev/nvidiactl"))) {
        throw new SkipException("there is a device here");
      }
      VendorException refused =
          expectThrows(VendorException.class, () -> nccl.join(idOf(nccl), 0, 1));
      assertTrue(refused.rawCode() > 0, refused.getMessage());
      assertTrue(refused.getMessage().contains(": "), refused.getMessage());
    }
  }

  private static byte[] idOf(CclAdaptor ccl) {
    return ccl.newUniqueId();
  }

  private interface Body {
    void run(CclCommunicator communicator, Stream stream);
  }

  /** A communicator of one member. */
  private static void alone(CclUnderTest library, Body body) {
    try (DeviceAdaptor device = library.vendor().openDevice(0);
        CclAdaptor ccl = library.vendor().openCcl(device);
        Stream stream = device.newStream();
        CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1)) {
      body.run(communicator, stream);
    }
  }

  private static void opened(CclUnderTest library, Consumer<CclAdaptor> body) {
    try (DeviceAdaptor device = library.vendor().openDevice(0);
        CclAdaptor ccl = library.vendor().openCcl(device)) {
      body.accept(ccl);
    }
  }
}
