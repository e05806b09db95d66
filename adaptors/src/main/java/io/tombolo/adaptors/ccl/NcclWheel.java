// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceRuntime;
import io.tombolo.base.errors.TomboloException;

/**
 * Which of NVIDIA's wheels has an NCCL that runs here: each is built for one major release of CUDA,
 * and a driver runs those up to its own ("CUDA Compatibility", minor version compatibility).
 */
final class NcclWheel {
  private static final int PER_MAJOR = 1000;
  private static final int OLDEST = 12;
  private static final int NEWEST = 13;

  private NcclWheel() {}

  /** What to do where there is no NCCL. */
  static String advice() {
    try {
      return adviceFor(DeviceRuntime.open(DeviceDialects.CUDA).versionNumber());
    } catch (TomboloException e) {
      return adviceFor(0);
    }
  }

  /**
   * The same for a driver.
   *
   * @param driver what cuDriverGetVersion tells: 1000 times the major release; 0 without a driver
   */
  static String adviceFor(int driver) {
    int major = driver / PER_MAJOR;
    if (major != 0 && major < OLDEST) {
      return "update NVIDIA's driver: this one knows CUDA up to %s, and NCCL's wheels are for %s and %s"
          .formatted(major, OLDEST, NEWEST);
    }
    String pip =
        major == 0
            ? "'pip install nvidia-nccl-cu%s', or -cu%s where the driver knows CUDA %s"
                .formatted(OLDEST, NEWEST, NEWEST)
            : "'pip install nvidia-nccl-cu%s', for this driver's CUDA %s"
                .formatted(Math.min(major, NEWEST), major);
    return "install NCCL (for example " + pip + ") and put its lib folder into LD_LIBRARY_PATH";
  }
}
