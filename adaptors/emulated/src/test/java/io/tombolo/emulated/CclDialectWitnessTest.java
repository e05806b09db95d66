// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.Witness;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.Entry;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Compares the rows with their independent witnesses: the tables, and the vendors' headers
 * themselves.
 */
public final class CclDialectWitnessTest {

  @DataProvider
  public static Object[][] witnessedRows() {
    return rows(row -> row.dialect().witness() != Witness.NONE);
  }

  @DataProvider
  public static Object[][] unwitnessedRows() {
    return rows(row -> row.dialect().witness() == Witness.NONE);
  }

  @DataProvider
  public static Object[][] rowsWithHeader() {
    return rows(row -> row.dialect().witness() == Witness.HEADER);
  }

  @DataProvider
  public static Object[][] allRows() {
    return rows(row -> true);
  }

  private static Object[][] rows(Predicate<CclRow> which) {
    return Arrays.stream(CclRow.values())
        .filter(which)
        .map(row -> new Object[] {row})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "witnessedRows")
  public void shouldAgreeWithTheTable(CclRow row) {
    assertEquals(differences(row, row.dialect()), ImmutableList.of());
  }

  @Test(dataProvider = "witnessedRows")
  public void shouldNoticeWhenOneNumberIsWrong(CclRow row) {
    CclDialect dialect = row.dialect();
    for (DataType type : dialect.numbers().types().keySet()) {
      assertEquals(differences(row, CclRow.perturbed(dialect, type)).size(), 1, type.text());
    }
    for (ReduceOp op : dialect.numbers().reduceOps().keySet()) {
      assertEquals(differences(row, CclRow.perturbed(dialect, op)).size(), 1, op.text());
    }
  }

  @Test(dataProvider = "unwitnessedRows")
  public void shouldHaveNoTableWhereItSaysThatItIsUnwitnessed(CclRow row) {
    assertFalse(WitnessTable.exists(row.table()), row + " has a table: say so in its row");
  }

  /** A number that is not declared is never used; a declaration without a number cannot be. */
  @Test(dataProvider = "allRows")
  public void shouldHaveANumberForEverythingThatItDeclaresAndSaySources(CclRow row) {
    CclDialect dialect = row.dialect();
    assertTrue(
        dialect.numbers().types().keySet().containsAll(dialect.capabilities().types()),
        dialect.product());
    assertTrue(
        dialect.numbers().reduceOps().keySet().containsAll(dialect.capabilities().reduceOps()),
        dialect.product());
    assertFalse(dialect.sources().isEmpty(), dialect.product());
    assertTrue(dialect.fix().length() > 20, dialect.product());
  }

  @Test(dataProvider = "rowsWithHeader", timeOut = 120_000)
  public void shouldAgreeWithTheRealHeader(CclRow row) {
    HeaderCheck.Result result = check(row, row.dialect());
    assertTrue(result.isAccepted(), result.messages());
  }

  @Test(dataProvider = "rowsWithHeader", timeOut = 120_000)
  public void shouldBeRefusedByTheRealHeaderWhenOneNumberIsWrong(CclRow row) {
    HeaderCheck.Result result = check(row, CclRow.perturbed(row.dialect(), DataType.BF16));
    assertFalse(result.isAccepted());
    assertTrue(result.messages().contains("static assertion failed"), result.messages());
  }

  private static ImmutableList<String> differences(CclRow row, CclDialect dialect) {
    ImmutableMap<String, Long> witness = WitnessTable.of(row.table());
    return row.facts(dialect).entrySet().stream()
        .filter(fact -> !fact.getValue().equals(witness.get(fact.getKey())))
        .map(fact -> fact + ", but the witness says " + witness.get(fact.getKey()))
        .collect(ImmutableList.toImmutableList());
  }

  private static HeaderCheck.Result check(CclRow row, CclDialect dialect) {
    StringBuilder program = new StringBuilder();
    row.facts(dialect)
        .forEach(
            (name, number) ->
                program.append(
                    "_Static_assert(" + name + " == " + number + ", \"" + name + "\");\n"));
    return row == CclRow.NCCL
        ? HeaderCheck.compile(
            List.of(folder("nccl"), folder("cuda")),
            "#include <nccl.h>\n" + allToAll(dialect) + program + NCCL_PROTOTYPES)
        : HeaderCheck.compile(
            List.of(folder("oneccl")),
            "#include <oneapi/ccl.h>\n" + allToAll(dialect) + program + oneCclPrototypes());
  }

  /** What the row believes the all-to-all to be called. */
  private static String allToAll(CclDialect row) {
    return "#define ALL_TO_ALL " + Entry.ALL_TO_ALL.symbol(row).orElseThrow() + "\n";
  }

  /** The calls as shape_nccl.c and jni.c make them; the compiler refuses any other prototype. */
  private static final String NCCL_PROTOTYPES =
      """
      _Static_assert(sizeof(ncclUniqueId) == 128 && sizeof(ncclDataType_t) == 4 && sizeof(ncclRedOp_t) == 4, "sizes");
      ncclResult_t (*version)(int*) = ncclGetVersion;
      ncclResult_t (*id)(ncclUniqueId*) = ncclGetUniqueId;
      ncclResult_t (*join)(ncclComm_t*, int, ncclUniqueId, int) = ncclCommInitRank;
      ncclResult_t (*destroy)(ncclComm_t) = ncclCommDestroy;
      ncclResult_t (*give_up)(ncclComm_t) = ncclCommAbort;
      ncclResult_t (*error)(ncclComm_t, ncclResult_t*) = ncclCommGetAsyncError;
      ncclResult_t (*all_reduce)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) =
          ncclAllReduce;
      ncclResult_t (*scatter)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) =
          ncclReduceScatter;
      ncclResult_t (*reduce)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t, cudaStream_t) =
          ncclReduce;
      ncclResult_t (*broadcast)(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclBroadcast;
      ncclResult_t (*gather)(const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t) = ncclAllGather;
      ncclResult_t (*all_to_all)(const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t) = ALL_TO_ALL;
      ncclResult_t (*collect)(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclGather;
      ncclResult_t (*spread)(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclScatter;
      ncclResult_t (*send)(const void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclSend;
      ncclResult_t (*receive)(void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclRecv;
      ncclResult_t (*start)() = ncclGroupStart;
      ncclResult_t (*end)() = ncclGroupEnd;
      const char* (*text)(ncclResult_t) = ncclGetErrorString;
      const char* (*last)(ncclComm_t) = ncclGetLastError;
      """;

  /**
   * oneCCL counts ranks in size_t, takes the stream as void*, and its all-reduce forgets a const.
   */
  private static String oneCclPrototypes() {
    return NCCL_PROTOTYPES
        .replace(
            "_Static_assert(sizeof(ncclUniqueId) == 128",
            "_Static_assert(sizeof(ncclUniqueId) == 4096")
        .replace("ncclComm_t*, int, ncclUniqueId", "ncclComm_t*, size_t, ncclUniqueId")
        .replace("(*all_reduce)(const void*", "(*all_reduce)(void*")
        .replace("cudaStream_t", "void*")
        .replaceAll("ncclResult_t \\(\\*(give_up|error|collect|spread)\\).*\n", "")
        .replace("nccl", "oneccl");
  }

  private static Path folder(String vendor) {
    String folder = System.getenv("TOMBOLO_WITNESS_DIR");
    if (folder == null) {
      throw new SkipException(
          "TOMBOLO_WITNESS_DIR is not set: .ci/witnesses FOLDER fetches the vendors' headers");
    }
    Path headers = Path.of(folder, vendor);
    assertTrue(Files.isDirectory(headers), "no folder " + headers);
    return headers;
  }
}
