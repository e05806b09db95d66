// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/**
 * Runtimes that have another vendor's interface, says their maker. None was seen or run. So they
 * have the other's names and numbers, but what its documents say of waiting is not taken over.
 *
 * <p>Those whose libraries also have the other's file names cannot be told from it by opening them:
 * they are rows, but not vendors that every process looks for.
 */
public final class CompatibleDialects {
  private CompatibleDialects() {}

  /** Kunlunxin's: {@code libbkcl.so} needs {@code libxpucuda.so.1}, which exports {@code cu*}. */
  public static final DeviceDialect KUNLUNXIN =
      like(
          DeviceDialects.CUDA,
          "Kunlunxin's CUDA driver API",
          ImmutableList.of("libxpucuda.so.1"),
          "install Kunlunxin's XRE with its CUDA interface (xcudart), and put its lib folder into"
              + " LD_LIBRARY_PATH",
          "FlagCX makefiles/platforms/kunlunxin.mk (libbkcl.so's dependencies); a public report of"
              + " tests on a P800: 415 functions cu*, libcuda.so.1 is a link to this library, and a"
              + " device takes one context alone, the primary one that frameworks use; whether"
              + " streams wait for memory is not public. Its runtime below, XRE, is a row of its"
              + " own");

  /** Iluvatar CoreX's, under NVIDIA's file name. */
  public static final DeviceDialect ILUVATAR =
      like(
          DeviceDialects.CUDA,
          "Iluvatar's CUDA driver API",
          ImmutableList.of("libcuda.so.1"),
          "install Iluvatar's CoreX driver and SDK",
          "the vendor's word that CoreX is CUDA-compatible; no header was seen");

  /** T-Head PPU's, under NVIDIA's file name. */
  public static final DeviceDialect PPU =
      like(
          DeviceDialects.CUDA,
          "PPU's CUDA driver API",
          ImmutableList.of("libcuda.so.1"),
          "install T-Head's PPU driver and SDK",
          "the vendor's word that its SDK is CUDA-compatible; no header was seen");

  /** Hygon's HIP of its toolkit DTK, under AMD's file names. */
  public static final DeviceDialect HYGON =
      like(
          DeviceDialects.HIP,
          "Hygon's HIP runtime API",
          DeviceDialects.HIP.libraries(),
          "install Hygon's DTK, or run where there is one",
          "a build of HIP for DCUs; no header was seen");

  private static DeviceDialect like(
      DeviceDialect row, String name, ImmutableList<String> libraries, String fix, String source) {
    return new DeviceDialect(
        name,
        libraries,
        row.symbols(),
        row.shapes(),
        SafeCalls.COMPATIBLE,
        known(row.constants()),
        Optional.empty(),
        Witness.NONE,
        fix,
        source);
  }

  /**
   * Without the attribute for waits: that the other's number means the same here is nowhere said,
   * so they are tried.
   */
  private static ImmutableMap<Constant, Fact> known(ImmutableMap<Constant, Fact> others) {
    return ImmutableMap.copyOf(
        Maps.filterKeys(others, number -> number != Constant.CAN_WAIT_FOR_WORDS));
  }
}
