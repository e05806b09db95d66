package io.tombolo.emulated;

import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.HostCcl;
import io.tombolo.adaptors.ccl.MpiCcl;
import io.tombolo.adaptors.ccl.OneCclFolder;
import io.tombolo.base.Availability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.testng.SkipException;

/** The vendors whose collective libraries can be tried on a machine without accelerators. */
enum CclUnderTest {
  EMU_NVIDIA,
  EMU_AMD,
  EMU_INTEL,
  EMU_ASCEND,
  EMU_KUNLUNXIN,
  EMU_KUNLUNXIN_XRE,
  EMU_GAUDI,
  EMU_CAMBRICON,
  HOST,
  INTEL,
  MPI;

  Vendor vendor() {
    return Vendors.named(name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  CclDialect dialect() {
    return switch (this) {
      case EMU_NVIDIA -> EmulatedCcl.nccl();
      case EMU_AMD -> EmulatedCcl.rccl();
      case EMU_INTEL -> EmulatedCcl.oneCcl();
      case EMU_ASCEND -> EmulatedCcl.ascend();
      case EMU_KUNLUNXIN -> EmulatedCcl.kunlunxin();
      case EMU_KUNLUNXIN_XRE -> EmulatedCcl.xre();
      case EMU_GAUDI -> EmulatedCcl.gaudi();
      case EMU_CAMBRICON -> EmulatedCcl.cambricon();
      case HOST -> HostCcl.row();
      case MPI -> MpiCcl.row();
      case INTEL -> CclDialects.oneCcl(OneCclFolder.of(System.getenv()));
    };
  }

  /** Skips the test where the library is another's and not installed. */
  void require() {
    Path folder = OneCclFolder.of(System.getenv());
    if (this == INTEL && !Files.exists(folder.resolve("libccl.so.2"))) {
      throw new SkipException("no oneCCL in " + folder + ": run './tombolo get oneccl'");
    }
    if (this == MPI && vendor().availability() instanceof Availability.Missing missing) {
      throw new SkipException("no Open MPI here: " + missing.cause() + "; " + missing.fix());
    }
  }
}
