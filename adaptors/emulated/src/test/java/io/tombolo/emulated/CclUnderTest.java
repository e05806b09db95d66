package io.tombolo.emulated;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.DialectCcl;
import io.tombolo.adaptors.ccl.OneCclFolder;
import io.tombolo.adaptors.device.DeviceSource;
import java.nio.file.Files;
import java.nio.file.Path;
import org.testng.SkipException;

/** The collective libraries that can be tried on a machine without accelerators. */
enum CclUnderTest {
  EMU_NVIDIA,
  EMU_AMD,
  EMU_INTEL,
  INTEL;

  DeviceSource devices() {
    return switch (this) {
      case EMU_NVIDIA -> EmulatedLibrary.cudaDevices();
      case EMU_AMD -> EmulatedLibrary.hipDevices();
      case EMU_INTEL, INTEL -> DeviceSource.host();
    };
  }

  CclDialect dialect() {
    return switch (this) {
      case EMU_NVIDIA -> EmulatedCcl.nccl();
      case EMU_AMD -> EmulatedCcl.rccl();
      case EMU_INTEL -> EmulatedCcl.oneCcl();
      case INTEL -> CclDialects.oneCcl(OneCclFolder.of(System.getenv()));
    };
  }

  CclAdaptor open(DeviceAdaptor device) {
    return DialectCcl.open(dialect(), device::bindThread);
  }

  /** Skips the test where the library is another's and not installed. */
  void require() {
    Path folder = OneCclFolder.of(System.getenv());
    if (this == INTEL && !Files.exists(folder.resolve("libccl.so.2"))) {
      throw new SkipException("no oneCCL in " + folder + ": run './tombolo get oneccl'");
    }
  }
}
