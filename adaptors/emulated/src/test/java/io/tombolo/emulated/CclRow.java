package io.tombolo.emulated;

import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.CclNumbers;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A row's numbers by the names that the vendor's header has for them, to hold against a witness.
 */
enum CclRow {
  NCCL("nccl", "NCCL_UNIQUE_ID_BYTES", "Float8e4m3", "Float8e5m2"),
  RCCL("nccl", "NCCL_UNIQUE_ID_BYTES", "Fp8E4M3", "Fp8E5M2"),
  ONECCL("oneccl", "ONECCL_UNIQUE_ID_BYTES", "", "");

  private final String prefix;
  private final String idSize;
  private final String f8e4m3;
  private final String f8e5m2;

  CclRow(String prefix, String idSize, String f8e4m3, String f8e5m2) {
    this.prefix = prefix;
    this.idSize = idSize;
    this.f8e4m3 = f8e4m3;
    this.f8e5m2 = f8e5m2;
  }

  CclDialect dialect() {
    return switch (this) {
      case NCCL -> CclDialects.nccl();
      case RCCL -> CclDialects.rccl();
      case ONECCL -> CclDialects.oneCcl(Path.of("nowhere"));
    };
  }

  /** Name in the header → number in the row. */
  ImmutableMap<String, Long> facts(CclDialect row) {
    ImmutableMap.Builder<String, Long> facts = ImmutableMap.builder();
    facts.put(prefix + "Success", (long) row.numbers().success());
    facts.put(idSize, (long) row.shape().idBytes());
    row.numbers().types().forEach((type, number) -> facts.put(prefix + name(type), (long) number));
    row.numbers().reduceOps().forEach((op, number) -> facts.put(prefix + name(op), (long) number));
    return facts.buildOrThrow();
  }

  private String name(DataType type) {
    return switch (type) {
      case F8E4M3 -> f8e4m3;
      case F8E5M2 -> f8e5m2;
      case BF16 -> "Bfloat16";
      default ->
          type.name()
              .replaceFirst("^I", "Int")
              .replaceFirst("^U", "Uint")
              .replaceFirst("^F", "Float");
    };
  }

  private static String name(ReduceOp op) {
    return op.name().charAt(0) + op.text().substring(1);
  }

  /** The row with one type's number off by one. */
  static CclDialect perturbed(CclDialect row, DataType type) {
    Map<DataType, Integer> types = new LinkedHashMap<>(row.numbers().types());
    types.computeIfPresent(type, (key, number) -> number + 100);
    CclNumbers numbers =
        new CclNumbers(
            ImmutableMap.copyOf(types), row.numbers().reduceOps(), row.numbers().success());
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
        row.fix());
  }
}
