// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.device.CompilerDialect;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.base.NativeLibrary;

/**
 * An emulated vendor library in this artefact. Thread-safe.
 *
 * <p>A library is loaded once per process and its file is gone at once; from then on the dynamic
 * linker knows it by its soname, which is all that a dialect row has to name.
 */
final class EmulatedLibrary {
  /** CUDA's driver API, NVRTC and NCCL. */
  static final EmulatedLibrary NVIDIA = new EmulatedLibrary("tombolo_emu_nvidia");

  /** HIP's runtime API, hipRTC and RCCL. */
  static final EmulatedLibrary AMD = new EmulatedLibrary("tombolo_emu_amd");

  /** oneCCL's C API for CPUs. */
  static final EmulatedLibrary INTEL = new EmulatedLibrary("tombolo_emu_intel");

  /** AscendCL and HCCL. */
  static final EmulatedLibrary ASCEND = new EmulatedLibrary("tombolo_emu_ascend");

  /** CUDA's driver API and XCCL. */
  static final EmulatedLibrary KUNLUNXIN = new EmulatedLibrary("tombolo_emu_kunlunxin");

  /** CNRT with what it needs of CNDrv, and CNCL. */
  static final EmulatedLibrary CAMBRICON = new EmulatedLibrary("tombolo_emu_cambricon");

  /** SynapseAI and Gaudi's HCCL. */
  static final EmulatedLibrary GAUDI = new EmulatedLibrary("tombolo_emu_gaudi");

  /** XRE and XCCL. */
  static final EmulatedLibrary XRE = new EmulatedLibrary("tombolo_emu_xre");

  /** Level Zero alone: oneCCL's streams on GPUs are not its own. */
  static final EmulatedLibrary LEVEL_ZERO = new EmulatedLibrary("tombolo_emu_level_zero");

  /** MACA's runtime alone. */
  static final EmulatedLibrary MACA = new EmulatedLibrary("tombolo_emu_maca");

  /** MUSA's driver API alone. */
  static final EmulatedLibrary MUSA = new EmulatedLibrary("tombolo_emu_musa");

  /** TopsRT alone. */
  static final EmulatedLibrary TOPS = new EmulatedLibrary("tombolo_emu_tops");

  private final Supplier<ImmutableList<String>> names;

  private EmulatedLibrary(String name) {
    this.names =
        Suppliers.memoize(
            () -> {
              open(name, MissingSymbols.of(System.getenv()));
              return ImmutableList.of("lib" + name + ".so");
            });
  }

  private static void open(String name, ImmutableSet<String> missing) {
    if (missing.isEmpty()) {
      NativeLibrary.load(EmulatedLibrary.class, name);
    } else {
      MissingSymbols.load(name, missing);
    }
  }

  /** Loads the library if need be; what a dialect row then opens. */
  ImmutableList<String> load() {
    return names.get();
  }

  /**
   * Devices of the runtime in this library, which {@code row} describes but for its place; the
   * compiler that it may name is here too.
   */
  DeviceSource devices(DeviceDialect row) {
    return DeviceSource.of(
        () -> row.withLibraries(load()).withCompiler(row.compiler().map(this::emulated)));
  }

  private CompilerDialect emulated(CompilerDialect row) {
    return row.called("emulated " + row.name()).withLibraries(load());
  }
}
