// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import io.tombolo.adaptors.device.AscendDialect;
import io.tombolo.adaptors.device.CambriconDialect;
import io.tombolo.adaptors.device.CompatibleDialects;
import io.tombolo.adaptors.device.Constant;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.Fact;
import io.tombolo.adaptors.device.GaudiDialect;
import io.tombolo.adaptors.device.KunlunxinDialect;
import io.tombolo.adaptors.device.LevelZeroDialect;
import io.tombolo.adaptors.device.MusaDialect;
import io.tombolo.adaptors.device.RuntimeLikeDialects;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Compares the rows with their independent witnesses: the tables, and the vendors' headers
 * themselves.
 */
public final class DeviceDialectWitnessTest {
  /** By the names of their tables. */
  private static final ImmutableMap<String, DeviceDialect> ROWS =
      ImmutableMap.of(
          "cuda", DeviceDialects.CUDA,
          "hip", DeviceDialects.HIP,
          "acl", AscendDialect.ACL,
          "cnrt", CambriconDialect.CNRT,
          "level_zero", LevelZeroDialect.ZE,
          "maca", RuntimeLikeDialects.MACA,
          "musa", MusaDialect.MUSA,
          "synapse", GaudiDialect.SYNAPSE_AI,
          "tops", RuntimeLikeDialects.TOPS,
          "xre", KunlunxinDialect.XRE);

  /** Those with a table, and those that nothing witnesses. */
  static ImmutableList<DeviceDialect> allRows() {
    return ImmutableList.<DeviceDialect>builder()
        .addAll(ROWS.values())
        .add(CompatibleDialects.KUNLUNXIN)
        .add(CompatibleDialects.ILUVATAR)
        .add(CompatibleDialects.PPU)
        .add(CompatibleDialects.HYGON)
        .build();
  }

  @DataProvider
  public static Object[][] rows() {
    return rows(row -> true);
  }

  @DataProvider
  public static Object[][] rowsWithHeader() {
    return rows(row -> row.witness() == Witness.HEADER);
  }

  private static Object[][] rows(Predicate<DeviceDialect> which) {
    return ROWS.entrySet().stream()
        .filter(row -> which.test(row.getValue()))
        .map(row -> new Object[] {row.getKey(), row.getValue()})
        .toArray(Object[][]::new);
  }

  @DataProvider
  public static Object[][] rowsAndConstants() {
    return ROWS.entrySet().stream()
        .flatMap(
            row ->
                row.getValue().constants().entrySet().stream()
                    .filter(entry -> !entry.getValue().name().isEmpty())
                    .map(entry -> new Object[] {row.getKey(), row.getValue(), entry.getKey()}))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "rows")
  public void shouldAgreeWithTheTable(String table, DeviceDialect row) {
    assertEquals(differences(table, row), ImmutableList.of());
  }

  @Test(dataProvider = "rowsAndConstants")
  public void shouldNoticeWhenOneNumberIsWrong(String table, DeviceDialect row, Constant constant) {
    assertEquals(differences(table, perturbed(row, constant)).size(), 1);
  }

  @Test(dataProvider = "rowsWithHeader")
  public void shouldKnowHowEachCallIsMade(String vendor, DeviceDialect row) {
    assertEquals(HeaderCheck.unknownCalls(row), ImmutableSet.of(), vendor);
  }

  @Test(dataProvider = "rowsWithHeader", timeOut = 120_000)
  public void shouldAgreeWithTheRealHeader(String vendor, DeviceDialect row) {
    HeaderCheck.Result result = new HeaderCheck(vendor, headers(vendor)).check(row);
    assertTrue(result.isAccepted(), result.messages());
  }

  @Test(dataProvider = "rowsWithHeader", timeOut = 120_000)
  public void shouldBeRefusedByTheRealHeaderWhenOneNumberIsWrong(String vendor, DeviceDialect row) {
    HeaderCheck.Result result =
        new HeaderCheck(vendor, headers(vendor)).check(perturbed(row, Constant.EVENT_NO_TIMING));
    assertFalse(result.isAccepted());
    assertTrue(result.messages().contains("static assertion failed"), result.messages());
  }

  private static Path headers(String vendor) {
    String folder = System.getenv("TOMBOLO_WITNESS_DIR");
    if (folder == null) {
      throw new SkipException(
          "TOMBOLO_WITNESS_DIR is not set: .ci/witnesses FOLDER fetches the vendors' headers");
    }
    Path headers = Path.of(folder, vendor);
    assertTrue(Files.isDirectory(headers), "no folder " + headers);
    return headers;
  }

  private static ImmutableList<String> differences(String table, DeviceDialect row) {
    ImmutableMap<String, Long> witness = WitnessTable.of(table);
    return row.constants().values().stream()
        .filter(fact -> !fact.name().isEmpty())
        .filter(fact -> !Long.valueOf(fact.value()).equals(witness.get(fact.name())))
        .map(fact -> fact + ", but the witness says " + witness.get(fact.name()))
        .collect(ImmutableList.toImmutableList());
  }

  private static DeviceDialect perturbed(DeviceDialect row, Constant constant) {
    Map<Constant, Fact> constants = new LinkedHashMap<>(row.constants());
    constants.computeIfPresent(constant, (key, fact) -> new Fact(fact.name(), fact.value() + 1));
    return new DeviceDialect(
        row.name(),
        row.libraries(),
        row.symbols(),
        row.shapes(),
        row.safeWhileHeld(),
        ImmutableMap.copyOf(constants),
        row.compiler(),
        row.witness(),
        row.fix(),
        row.source());
  }
}
