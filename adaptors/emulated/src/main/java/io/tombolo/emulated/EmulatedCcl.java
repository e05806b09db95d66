// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.LibraryEnvironment;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.LibrarySource;
import io.tombolo.adaptors.ccl.NcclLikeDialects;
import io.tombolo.adaptors.ccl.OwnShapeDialects;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * The rows of the emulated collective libraries: the vendors' own rows for ABI and numbers, and the
 * emulations' own declarations.
 *
 * <p>They differ on purpose, as vendors do: NCCL's emulation averages, RCCL's has 8-bit floats,
 * oneCCL's blocks and cannot abort, HCCL's and CNCL's queue and cannot abort, CNCL's has no
 * average. All are deterministic, join processes of one host only, and notice members that
 * disagree. The environment can make them as strict as devices whose operations are scheduled
 * ahead.
 */
final class EmulatedCcl {
  private static final ImmutableSet<Flag> QUEUED =
      Sets.immutableEnumSet(Flag.ABORT, Flag.ASYNC_ERROR, Flag.GROUP, Flag.DETERMINISTIC);

  private static final ImmutableMap<String, Flag> QUIRKS =
      ImmutableMap.of(
          "TOMBOLO_EMU_EQUAL_COUNTS_ONLY",
          Flag.EQUAL_COUNTS_ONLY,
          "TOMBOLO_EMU_SAME_ORDER_ONLY",
          Flag.SAME_ORDER_ONLY,
          "TOMBOLO_EMU_SAME_ARCHITECTURE_ONLY",
          Flag.SAME_ARCHITECTURE_ONLY,
          "TOMBOLO_EMU_ABORTS",
          Flag.ABORT);

  private static final ImmutableSet<ReduceOp> WITHOUT_AVERAGE =
      Sets.immutableEnumSet(ReduceOp.SUM, ReduceOp.PROD, ReduceOp.MIN, ReduceOp.MAX);

  private EmulatedCcl() {}

  /** NCCL's ABI on the emulated CUDA devices. */
  static CclDialect nccl() {
    return emulated(CclDialects.nccl(), EmulatedLibrary.NVIDIA, "emu-nvidia", QUEUED);
  }

  /** RCCL's ABI on the emulated HIP devices. */
  static CclDialect rccl() {
    CclDialect row = CclDialects.rccl();
    return emulated(
        row,
        EmulatedLibrary.AMD,
        "emu-amd",
        row.numbers().types().keySet(),
        WITHOUT_AVERAGE,
        QUEUED);
  }

  /** oneCCL's ABI on the host. */
  static CclDialect oneCcl() {
    return emulated(
        CclDialects.oneCcl(Path.of("")),
        EmulatedLibrary.INTEL,
        "emu-intel",
        Set.of(Flag.BLOCKING_CALLS, Flag.DETERMINISTIC));
  }

  /** HCCL's ABI on the emulated AscendCL devices. */
  static CclDialect ascend() {
    return emulated(
        OwnShapeDialects.ascend(),
        EmulatedLibrary.ASCEND,
        "emu-ascend",
        Set.of(Flag.ASYNC_ERROR, Flag.DETERMINISTIC));
  }

  /** XCCL's ABI on emulated devices with CUDA's driver API. */
  static CclDialect kunlunxin() {
    return emulated(
        OwnShapeDialects.kunlunxin(),
        EmulatedLibrary.KUNLUNXIN,
        "emu-kunlunxin",
        Set.of(Flag.GROUP, Flag.DETERMINISTIC));
  }

  /** XCCL's ABI on the emulated XRE devices. */
  static CclDialect xre() {
    return emulated(
        OwnShapeDialects.kunlunxin(),
        EmulatedLibrary.XRE,
        "emu-kunlunxin-xre",
        Set.of(Flag.GROUP, Flag.DETERMINISTIC));
  }

  /** Gaudi's HCCL on the emulated SynapseAI devices. */
  static CclDialect gaudi() {
    return emulated(
        NcclLikeDialects.gaudi(),
        EmulatedLibrary.GAUDI,
        "emu-gaudi",
        Set.of(Flag.ASYNC_ERROR, Flag.GROUP, Flag.DETERMINISTIC));
  }

  /** CNCL's ABI on the emulated CNRT devices. */
  static CclDialect cambricon() {
    return emulated(
        OwnShapeDialects.cambricon(),
        EmulatedLibrary.CAMBRICON,
        "emu-cambricon",
        Sets.difference(QUEUED, Set.of(Flag.ABORT)));
  }

  /** With the types and operators that the row declares. */
  private static CclDialect emulated(
      CclDialect row, EmulatedLibrary library, String vendor, Set<Flag> flags) {
    return emulated(
        row, library, vendor, row.capabilities().types(), row.capabilities().reduceOps(), flags);
  }

  private static CclDialect emulated(
      CclDialect row,
      EmulatedLibrary library,
      String vendor,
      Set<DataType> types,
      Set<ReduceOp> reduceOps,
      Set<Flag> flags) {
    connecting(row).export();
    return row.like(
        "emulated " + row.product(),
        LibrarySource.named(library.load()),
        Capabilities.of(
            row.capabilities().primitives(),
            types,
            reduceOps,
            Sets.union(
                Sets.union(flags, Set.of(Flag.ONE_HOST_ONLY)), quirks(vendor, System.getenv()))));
  }

  /**
   * Of what {@code row} presets, what the emulated library looks at; its devices keep their few
   * queues. It is loaded before the row can be, and then nobody else would set it.
   */
  private static LibraryEnvironment connecting(CclDialect row) {
    return new LibraryEnvironment(
        ImmutableMap.of(),
        ImmutableMap.copyOf(
            Maps.filterKeys(
                row.source().environment().preset(), CclDialects.RUNTIME_CONNECT::equals)));
  }

  /** What the environment asks of {@code vendor}'s library, which behaves accordingly. */
  static Set<Flag> quirks(String vendor, Map<String, String> environment) {
    return QUIRKS.entrySet().stream()
        .filter(quirk -> isFor(vendor, environment.getOrDefault(quirk.getKey(), "")))
        .map(Map.Entry::getValue)
        .collect(Sets.toImmutableEnumSet());
  }

  private static boolean isFor(String vendor, String value) {
    return value.equals("1") || Splitter.on(',').splitToList(value).contains(vendor);
  }
}
