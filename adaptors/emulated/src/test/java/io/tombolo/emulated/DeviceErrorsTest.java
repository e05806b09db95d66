// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static io.tombolo.emulated.TestDevices.finish;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.AscendDialect;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.device.LevelZeroDialect;
import io.tombolo.base.Availability;
import io.tombolo.base.MemoryKind;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** How the emulated runtimes' errors reach the caller. */
public final class DeviceErrorsTest {
  private static final int INVALID_VALUE = 1;
  private static final int ALREADY_REGISTERED = 712;
  private static final long NOBODYS = 4096;

  /** What tells a mapped address of the emulated AscendCL from the host's own. */
  private static final long ASCEND_MAPPED = 1L << 60;

  /** Rows that have a call for whose memory an address is. */
  private static final ImmutableSet<String> TELLING =
      ImmutableSet.of(
          "emu-nvidia",
          "emu-kunlunxin",
          "emu-amd",
          "emu-level-zero",
          "emu-cambricon",
          "emu-tops",
          "emu-musa",
          "emu-ascend");

  /** Rows that have a call for whose a stream is. */
  private static final ImmutableSet<String> KNOWING_STREAMS =
      ImmutableSet.of("emu-nvidia", "emu-kunlunxin", "emu-amd", "emu-cambricon", "emu-musa");

  @DataProvider
  public static Object[][] runtimes() {
    return new Object[][] {
      {EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA), "CUDA_ERROR_INVALID_VALUE"},
      {EmulatedLibrary.AMD.devices(DeviceDialects.HIP), "hipErrorInvalidValue"}
    };
  }

  @Test(dataProvider = "runtimes")
  public void shouldCarryTheRawCodeAndTheVendorsText(DeviceSource source, String name) {
    try (DeviceAdaptor device = source.open(0);
        DeviceMemory block = device.allocate(8);
        Stream stream = device.newStream()) {
      VendorException error =
          expectThrows(
              VendorException.class, () -> device.fillAsync(block.address(), (byte) 0, 9, stream));
      assertEquals(error.rawCode(), INVALID_VALUE);
      assertTrue(error.getMessage().contains(name), error.getMessage());
      assertTrue(error.getMessage().contains("9 bytes"), error.getMessage());
    }
  }

  @Test(dataProvider = "runtimes")
  public void shouldRefuseAsynchronousCopiesOfUnregisteredHostMemory(
      DeviceSource source, String name) {
    try (DeviceAdaptor device = source.open(0);
        DeviceMemory block = device.allocate(8);
        NativeMemory host = NativeMemory.allocate(8);
        Stream stream = device.newStream()) {
      VendorException error =
          expectThrows(
              VendorException.class,
              () ->
                  device.copyAsync(
                      CopyDirection.HOST_TO_DEVICE, block.address(), host.address(), 8, stream));
      assertEquals(error.rawCode(), INVALID_VALUE);
    }
  }

  @Test(dataProvider = "runtimes")
  public void shouldRefuseADeviceAddressWhereAHostAddressBelongs(DeviceSource source, String name) {
    try (DeviceAdaptor device = source.open(0);
        DeviceMemory block = device.allocate(16);
        Stream stream = device.newStream()) {
      assertThrows(
          VendorException.class,
          () ->
              device.copyAsync(
                  CopyDirection.HOST_TO_DEVICE, block.address(), block.address(8, 8), 8, stream));
    }
  }

  @Test(dataProvider = "runtimes")
  public void shouldRefuseToRegisterMemoryTwice(DeviceSource source, String name) {
    try (DeviceAdaptor device = source.open(0);
        NativeMemory host = NativeMemory.allocate(4096);
        DeviceMemory once = device.register(host.address(), 4096)) {
      assertEquals(once.kind(), MemoryKind.PINNED);
      VendorException error =
          expectThrows(VendorException.class, () -> device.register(host.address(), 4096));
      assertEquals(error.rawCode(), ALREADY_REGISTERED);
    }
  }

  @Test(dataProvider = "runtimes")
  public void shouldSayHowMuchMemoryWasAskedForWhenThereIsNot(DeviceSource source, String name) {
    try (DeviceAdaptor device = source.open(0)) {
      ResourceException error =
          expectThrows(ResourceException.class, () -> device.allocate(1L << 60));
      assertTrue(error.getMessage().contains("1152921504606846976 bytes"), error.getMessage());
      assertTrue(error.getMessage().contains("raw code 2"), error.getMessage());
    }
  }

  @DataProvider
  public static Object[][] emulated() {
    return TestDevices.all().entrySet().stream()
        .filter(device -> device.getKey().startsWith("emu-"))
        .map(device -> new Object[] {device.getKey(), device.getValue()})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "emulated")
  public void shouldTakeTooLittleMemoryForNoFaultOfTheVendors(String name, DeviceSource source) {
    try (DeviceAdaptor device = source.open(0)) {
      assertThrows(ResourceException.class, () -> device.allocate(1L << 60));
      assertThrows(ResourceException.class, () -> device.allocatePinned(1L << 60));
    }
  }

  @Test(dataProvider = "emulated")
  public void shouldRefuseADestroyedStreamAndGoOn(String name, DeviceSource source) {
    try (DeviceAdaptor device = source.open(0);
        DeviceMemory block = device.allocate(8)) {
      Stream own = device.newStream();
      try (Stream destroyed = device.streamOf(own.nativeHandle())) {
        own.close();
        assertThrows(
            VendorException.class, () -> device.fillAsync(block.address(), (byte) 0, 8, destroyed));
        assertThrows(VendorException.class, destroyed::isIdle);
      }
      goesOn(device, block);
    }
  }

  @Test(dataProvider = "emulated")
  public void shouldRefuseAnAddressThatNoDeviceHasAndGoOn(String name, DeviceSource source) {
    try (DeviceAdaptor device = source.open(0);
        DeviceMemory block = device.allocate(8);
        Stream stream = device.newStream()) {
      assertThrows(VendorException.class, () -> device.fillAsync(NOBODYS, (byte) 0, 8, stream));
      goesOn(device, block);
    }
  }

  /** Level Zero's copies have no direction, so either side may be the host's. */
  @Test(dataProvider = "emulated")
  public void shouldRefuseHostMemoryWhereTheDevicesBelongsAndGoOn(
      String name, DeviceSource source) {
    try (DeviceAdaptor device = source.open(0);
        DeviceMemory block = device.allocate(8);
        DeviceMemory pinned = device.allocatePinned(16);
        Stream stream = device.newStream()) {
      Runnable copy =
          () ->
              device.copyAsync(
                  CopyDirection.HOST_TO_DEVICE, pinned.address(8, 8), pinned.address(), 8, stream);
      assertEquals(isRefused(copy), !name.equals("emu-level-zero"));
      goesOn(device, block);
    }
  }

  /** What each row tells of memory that the caller brings; what is not here tells nothing. */
  @Test(dataProvider = "emulated")
  public void shouldTellWhoseMemoryAnAddressIs(String name, DeviceSource source) {
    boolean tells = TELLING.contains(name);
    try (DeviceAdaptor device = source.open(0);
        DeviceAdaptor other = source.open(1);
        DeviceMemory own = device.allocate(16);
        DeviceMemory others = other.allocate(16);
        DeviceMemory pinned = device.allocatePinned(16)) {
      assertEquals(device.objection(own.address(8, 8)), Optional.empty());
      assertEquals(other.objection(others.address()), Optional.empty());
      boolean tellsDevices = tells && !name.equals("emu-ascend");
      assertTold(device, others.address(), tellsDevices, "which is memory of device 1 of the ");
      assertTold(device, NOBODYS, tells, " does not know: it is no device's memory");
      assertTold(
          device,
          pinned.address(8, 8),
          tells && !name.equals("emu-amd"),
          "which is memory of the host: copy it to the device first");
    }
  }

  /** It has no kind for some memory that devices use, and fails for that. */
  @Test
  public void shouldNotTakeAnErrorOfAscendClForAnAnswer() {
    try (DeviceAdaptor device = EmulatedLibrary.ASCEND.devices(AscendDialect.ACL).open(0);
        DeviceMemory pinned = device.allocatePinned(16)) {
      assertEquals(device.objection(pinned.address() | ASCEND_MAPPED), Optional.empty());
    }
  }

  private static void assertTold(DeviceAdaptor device, long address, boolean tells, String why) {
    Optional<String> objection = device.objection(address);
    assertEquals(objection.isPresent(), tells, objection.toString());
    assertTrue(objection.orElse(why).contains(why), objection.toString());
  }

  /** What each row tells of streams that the caller brings; what is not here tells nothing. */
  @Test(dataProvider = "emulated")
  public void shouldTellWhoseStreamAHandleIs(String name, DeviceSource source) {
    boolean tells = KNOWING_STREAMS.contains(name);
    try (DeviceAdaptor device = source.open(0);
        DeviceAdaptor other = source.open(1);
        Stream made = other.newStream();
        Stream own = other.streamOf(made.nativeHandle());
        Stream others = device.streamOf(made.nativeHandle())) {
      assertEquals(other.objection(own), Optional.empty());
      Optional<String> objection = device.objection(others);
      assertEquals(objection.isPresent(), tells, objection.toString());
      String why = "is one of another device or context than device 0 of the ";
      assertTrue(objection.orElse(why).startsWith(why), objection.toString());
    }
  }

  /** Some runtimes say of it that it is no stream. */
  @Test(dataProvider = "emulated")
  public void shouldTakeTheDefaultStreamForTheDevices(String name, DeviceSource source) {
    try (DeviceAdaptor device = source.open(1);
        Stream standard = device.streamOf(0)) {
      assertEquals(device.objection(standard), Optional.empty());
    }
  }

  /** By the first question about it: where there is none, its work fails. */
  @Test(dataProvider = "emulated")
  public void shouldNotTakeADestroyedStreamForTheDevices(String name, DeviceSource source) {
    if (!KNOWING_STREAMS.contains(name) || name.equals("emu-amd")) {
      return; // of what is no stream HIP tells no device
    }
    try (DeviceAdaptor device = source.open(0)) {
      Stream made = device.newStream();
      try (Stream destroyed = device.streamOf(made.nativeHandle())) {
        made.close();
        assertThrows(VendorException.class, () -> device.objection(destroyed));
      }
    }
  }

  @Test(dataProvider = "emulated")
  public void shouldTakeSharedMemoryForTheDevices(String name, DeviceSource source) {
    try (DeviceAdaptor device = source.open(0)) {
      if (device.features().contains(DeviceFeature.MANAGED_MEMORY)) {
        try (DeviceMemory managed = device.allocateManaged(16)) {
          assertEquals(device.objection(managed.address()), Optional.empty());
        }
      }
    }
  }

  /** Contexts are of drivers, of which the emulation has two with half of the devices each. */
  @Test
  public void shouldTakeMemoryOfAnotherDriverOfLevelZeroForUnknown() {
    DeviceSource source = EmulatedLibrary.LEVEL_ZERO.devices(LevelZeroDialect.ZE);
    int last = source.devices().size() - 1;
    try (DeviceAdaptor device = source.open(0);
        DeviceAdaptor other = source.open(last);
        DeviceMemory others = other.allocate(16)) {
      assertTold(device, others.address(), true, "does not know");
      assertEquals(other.objection(others.address()), Optional.empty());
    }
  }

  private static boolean isRefused(Runnable call) {
    try {
      call.run();
      return false;
    } catch (VendorException e) {
      return true;
    }
  }

  private static void goesOn(DeviceAdaptor device, DeviceMemory block) {
    byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8};
    TestDevices.put(device, block.address(), bytes);
    assertEquals(TestDevices.get(device, block.address(), 8), bytes);
  }

  @Test(dataProvider = "runtimes")
  public void shouldLeaveTheCallersOwnStreamAloneWhenItsWrapperIsClosed(
      DeviceSource source, String name) {
    try (DeviceAdaptor device = source.open(0);
        DeviceMemory block = device.allocate(8);
        Stream own = device.newStream()) {
      try (Stream wrapped = device.streamOf(own.nativeHandle())) {
        device.fillAsync(block.address(), (byte) 4, 8, wrapped);
      }
      finish(own);
      assertEquals(TestDevices.get(device, block.address(), 1), new byte[] {4});
    }
  }

  @Test(dataProvider = "runtimes")
  public void shouldNameTheDevicesThereAreWhenAnotherIsAskedFor(DeviceSource source, String name) {
    UsageException error = expectThrows(UsageException.class, () -> source.open(1000));
    assertTrue(error.getMessage().contains("0 to "), error.getMessage());
  }

  @Test
  public void shouldRefuseAnotherVendorsIpcHandle() {
    try (DeviceAdaptor cuda = EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA).open(0);
        DeviceAdaptor hip = EmulatedLibrary.AMD.devices(DeviceDialects.HIP).open(0);
        DeviceMemory block = cuda.allocate(64)) {
      byte[] handle = cuda.ipcHandle(block);
      UnsupportedException error =
          expectThrows(UnsupportedException.class, () -> hip.openIpc(handle));
      assertTrue(error.getMessage().contains("CUDA"), error.getMessage());
      handle[0]++;
      assertThrows(CorruptException.class, () -> cuda.openIpc(handle));
    }
  }

  @Test
  public void shouldSayWhatIsMissingWhenThereIsNoLibrary() {
    DeviceDialect row =
        DeviceDialects.CUDA.withLibraries(ImmutableList.of("libnobody-has-this.so.1"));
    Availability.Missing missing = (Availability.Missing) DeviceSource.of(() -> row).availability();
    assertTrue(missing.cause().contains("libnobody-has-this.so.1"), missing.cause());
    assertEquals(missing.fix(), DeviceDialects.CUDA.fix());
  }

  @Test
  public void shouldNameTheSymbolThatALibraryLacks() {
    DeviceDialect row = DeviceDialects.CUDA.withLibraries(EmulatedLibrary.AMD.load());
    UnavailableException error =
        expectThrows(UnavailableException.class, () -> DeviceSource.of(() -> row).open(0));
    assertTrue(error.getMessage().contains("cuInit"), error.getMessage());
  }
}
