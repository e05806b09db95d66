// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Splitter;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/** The page of vendors says what the code says, and so does the README's table of them. */
public final class VendorTableTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "vendors.md");
  private static final Path README = Path.of("..", "..", "README.md");

  @Test
  public void shouldSayOfEachVendorWhatItsRowsSay() throws IOException {
    for (Vendor vendor : Vendors.all()) {
      List<String> cells = cells("`" + vendor.name() + "`");
      assertEquals(
          cells.subList(4, 7),
          List.of(
              vendor.provenance().name().toLowerCase(Locale.ROOT), vendor.witness(), vendor.ran()),
          vendor.name());
    }
  }

  @Test
  public void shouldHaveEveryDeviceRuntimeInItsTable() throws IOException {
    for (DeviceDialect row : DeviceDialectWitnessTest.allRows()) {
      List<String> cells = cells(row.name());
      assertEquals(cells.get(2), row.witness().text(), row.name());
      String ran = row.name().equals(DeviceDialects.CUDA.name()) ? "on one GPU" : "never";
      assertTrue(cells.get(4).startsWith(ran), row.name());
    }
  }

  @Test
  public void shouldHaveEveryCollectiveLibraryInOneOfTheTables() throws IOException {
    Set<String> ofVendors =
        Set.of(
                CclRow.NCCL,
                CclRow.RCCL,
                CclRow.ONECCL,
                CclRow.ASCEND,
                CclRow.KUNLUNXIN,
                CclRow.CAMBRICON,
                CclRow.GAUDI,
                CclRow.METAX,
                CclRow.MOORE_THREADS,
                CclRow.ENFLAME)
            .stream()
            .map(row -> row.dialect().product())
            .collect(Collectors.toSet());
    for (CclRow row : CclRow.values()) {
      CclDialect dialect = row.dialect();
      if (!ofVendors.contains(dialect.product())) {
        assertEquals(cells(dialect.product()).get(2), dialect.witness().text(), dialect.product());
      }
    }
  }

  @Test
  public void shouldHaveEveryVendorInTheReadme() throws IOException {
    assertEquals(
        readmeRows().stream().flatMap(row -> quoted(row).stream()).sorted().toList(),
        Vendors.all().stream().map(Vendor::name).sorted().toList());
  }

  @Test
  public void shouldSayInTheReadmeWhichVendorsWereNeverRun() throws IOException {
    List<String> never =
        readmeRows().stream().filter(row -> row.startsWith("| Never run |")).toList();
    assertEquals(never.size(), 1, "rows of README.md, Vendors, that begin with Never run");
    assertEquals(
        quoted(never.get(0)).stream().sorted().toList(),
        Vendors.all().stream()
            .filter(vendor -> vendor.ran().equals("never"))
            .map(Vendor::name)
            .sorted()
            .toList());
  }

  /** The rows of the README's table of vendors. */
  private static List<String> readmeRows() throws IOException {
    return Files.readAllLines(README, UTF_8).stream()
        .dropWhile(line -> !line.equals("### Vendors"))
        .skip(1)
        .takeWhile(line -> !line.startsWith("#"))
        .filter(line -> line.startsWith("|"))
        .toList();
  }

  /** What stands between backquotes in a line. */
  private static List<String> quoted(String line) {
    return Pattern.compile("`([^`]+)`")
        .matcher(line)
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** The cells of the row that begins with {@code first}; the first is what is before it. */
  private static List<String> cells(String first) throws IOException {
    List<String> lines =
        Files.readAllLines(PAGE, UTF_8).stream()
            .filter(line -> line.startsWith("| " + first + " |"))
            .toList();
    assertEquals(lines.size(), 1, "rows of docs/vendors.md that begin with " + first);
    assertTrue(lines.get(0).endsWith("|"), lines.get(0));
    return Splitter.on('|').trimResults().splitToList(lines.get(0));
  }
}
