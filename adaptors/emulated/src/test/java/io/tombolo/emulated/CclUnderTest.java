// SPDX-License-Identifier: Apache-2.0
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
import java.util.Map;
import org.testng.SkipException;

/**
 * The vendors whose collective libraries can be tried on a machine without accelerators; and NCCL,
 * where there is a GPU.
 */
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
  MPI,
  /** All its members are on the first GPU. */
  NVIDIA;

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
      case NVIDIA -> CclDialects.nccl();
      case INTEL -> CclDialects.oneCcl(OneCclFolder.of(System.getenv()));
    };
  }

  /**
   * What its member {@code rank} finds in its environment. NCCL refuses two members on one GPU of
   * one host, so they say that they are on different ones.
   */
  Map<String, String> environment(int rank) {
    return this == NVIDIA ? Map.of("NCCL_HOSTID", "member-" + rank) : Map.of();
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
    if (this == NVIDIA && vendor().availability() instanceof Availability.Missing missing) {
      throw new SkipException("no NCCL on a GPU here: " + missing.cause() + "; " + missing.fix());
    }
  }
}
