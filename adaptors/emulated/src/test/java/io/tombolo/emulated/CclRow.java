// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.CclNumbers;
import io.tombolo.adaptors.ccl.NcclLikeDialects;
import io.tombolo.adaptors.ccl.OwnShapeDialects;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A row's numbers by the names that the vendor's header has for them, to hold against a witness.
 * The table is called as the constant here.
 */
enum CclRow {
  NCCL("nccl", "NCCL_UNIQUE_ID_BYTES"),
  RCCL("nccl", "NCCL_UNIQUE_ID_BYTES"),
  ONECCL("oneccl", "ONECCL_UNIQUE_ID_BYTES"),
  ONECCL_ON_GPUS("oneccl", "ONECCL_UNIQUE_ID_BYTES"),
  METAX("mccl", "MCCL_UNIQUE_ID_BYTES"),
  MOORE_THREADS("mccl", "MCCL_UNIQUE_ID_BYTES"),
  ENFLAME("eccl", "ECCL_UNIQUE_ID_BYTES"),
  SUNRISE("pccl", "PCCL_UNIQUE_ID_BYTES"),
  GAUDI("hccl", "hcclUniqueIdBytes"),
  ASCEND("HCCL_", "HCCL_ROOT_INFO_BYTES"),
  CAMBRICON("cncl", "cnclCliqueIdBytes"),
  KUNLUNXIN("xccl", "XCCL_UNIQUE_ID_BYTES"),
  ILUVATAR("nccl", "NCCL_UNIQUE_ID_BYTES"),
  HYGON("nccl", "NCCL_UNIQUE_ID_BYTES"),
  PPU("nccl", "NCCL_UNIQUE_ID_BYTES"),
  TSINGMICRO("tccl", "TCCL_UNIQUE_ID_BYTES");

  private final String prefix;
  private final String idSize;

  CclRow(String prefix, String idSize) {
    this.prefix = prefix;
    this.idSize = idSize;
  }

  CclDialect dialect() {
    return switch (this) {
      case NCCL -> CclDialects.nccl();
      case RCCL -> CclDialects.rccl();
      case ONECCL -> CclDialects.oneCcl(Path.of("nowhere"));
      case ONECCL_ON_GPUS -> CclDialects.oneCclOnGpus();
      case METAX -> NcclLikeDialects.metax();
      case MOORE_THREADS -> NcclLikeDialects.mooreThreads();
      case ENFLAME -> NcclLikeDialects.enflame();
      case SUNRISE -> NcclLikeDialects.sunrise();
      case GAUDI -> NcclLikeDialects.gaudi();
      case ASCEND -> OwnShapeDialects.ascend();
      case CAMBRICON -> OwnShapeDialects.cambricon();
      case KUNLUNXIN -> OwnShapeDialects.kunlunxin();
      case ILUVATAR -> NcclLikeDialects.iluvatar();
      case HYGON -> NcclLikeDialects.hygon();
      case PPU -> NcclLikeDialects.ppu();
      case TSINGMICRO -> NcclLikeDialects.tsingMicro();
    };
  }

  /** The name of the witness table: one library, one table. */
  String table() {
    return this == ONECCL_ON_GPUS ? ONECCL.table() : name().toLowerCase(Locale.ROOT);
  }

  /** Name in the header → number in the row. */
  ImmutableMap<String, Long> facts(CclDialect from) {
    ImmutableMap.Builder<String, Long> facts = ImmutableMap.builder();
    facts.put(success(), (long) from.numbers().success());
    from.numbers().ofOthers().forEach(number -> facts.put(ofOthers(), (long) number));
    facts.put(idSize, (long) from.shape().idBytes());
    from.numbers().types().forEach((type, number) -> facts.put(name(type), (long) number));
    from.numbers().reduceOps().forEach((op, number) -> facts.put(name(op), (long) number));
    return facts.buildOrThrow();
  }

  private String success() {
    return ImmutableMap.of(ASCEND, "HCCL_SUCCESS", CAMBRICON, "CNCL_RET_SUCCESS")
        .getOrDefault(this, prefix + "Success");
  }

  private String ofOthers() {
    return this == ASCEND ? "HCCL_E_REMOTE" : prefix + "RemoteError";
  }

  private String name(DataType type) {
    String usual =
        type == DataType.BF16
            ? "Bfloat16"
            : type.name()
                .replaceFirst("^I", "Int")
                .replaceFirst("^U", "Uint")
                .replaceFirst("^F", "Float");
    if (this == ASCEND) {
      return "HCCL_DATA_TYPE_"
          + usual.toUpperCase(Locale.ROOT).replace("BFLOAT", "BFP").replace("FLOAT", "FP");
    }
    return this == RCCL
        ? prefix + usual.replaceFirst("^Float8E", "Fp8E")
        : prefix + usual.replace("Float8E4M3", "Float8e4m3").replace("8E5M2", "8e5m2");
  }

  private String name(ReduceOp op) {
    return this == ASCEND
        ? "HCCL_REDUCE_" + op.name()
        : prefix + op.name().charAt(0) + op.text().substring(1);
  }

  /** The row with one type's number off. */
  static CclDialect perturbed(CclDialect row, DataType type) {
    Map<DataType, Integer> types = new LinkedHashMap<>(row.numbers().types());
    types.computeIfPresent(type, (key, number) -> number + 100);
    return with(
        row,
        new CclNumbers(
            ImmutableMap.copyOf(types),
            row.numbers().reduceOps(),
            row.numbers().success(),
            row.numbers().ofOthers(),
            row.numbers().unfinished()));
  }

  /** The row with one operator's number off. */
  static CclDialect perturbed(CclDialect row, ReduceOp op) {
    Map<ReduceOp, Integer> ops = new LinkedHashMap<>(row.numbers().reduceOps());
    ops.computeIfPresent(op, (key, number) -> number + 100);
    return with(
        row,
        new CclNumbers(
            row.numbers().types(),
            ImmutableMap.copyOf(ops),
            row.numbers().success(),
            row.numbers().ofOthers(),
            row.numbers().unfinished()));
  }

  private static CclDialect with(CclDialect row, CclNumbers numbers) {
    return new CclDialect(
        row.product(),
        row.source(),
        row.shape(),
        row.prefix(),
        row.spellings(),
        numbers,
        row.capabilities(),
        row.namesSegments(),
        row.sources(),
        row.witness(),
        row.fix());
  }
}
