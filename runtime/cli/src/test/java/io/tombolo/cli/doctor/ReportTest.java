// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.cli.console.Wrapped;
import java.util.List;
import org.testng.annotations.Test;

public class ReportTest {
  private static final String LONG = "word ".repeat(40).strip();

  private static final List<Finding> FINDINGS =
      List.of(
          Finding.good("vendor", "host", "1.0"),
          Finding.missing("vendor", "emu-kunlunxin-xre", "no library", "install it"),
          Finding.missing("fabric", "rc", "no RDMA device", "install one"),
          Finding.missing("vendor", "gaudi", LONG, LONG));

  private static List<String> plain(boolean all) {
    return Report.lines(FINDINGS, all).stream()
        .map(line -> line.replaceAll("@\\|[a-z]+ (.*?)\\|@", "$1"))
        .toList();
  }

  @Test
  public void shouldFoldVendorsThatAreNotHereIntoOneLine() {
    List<String> lines = plain(false);
    assertEquals(
        lines.get(lines.size() - 1).strip(),
        "vendors that are not here: emu-kunlunxin-xre, gaudi ('tombolo doctor --all' says why)");
    assertTrue(lines.stream().anyMatch(line -> line.contains("✗ fabric  rc")), lines.toString());
    assertEquals(lines.stream().filter(line -> line.contains("✗")).count(), 1);
  }

  @Test
  public void shouldTellOfEachVendorWhenAskedForAll() {
    List<String> lines = plain(true);
    assertEquals(lines.stream().filter(line -> line.contains("✗")).count(), 3);
    assertTrue(lines.stream().noneMatch(line -> line.contains("--all")), lines.toString());
  }

  @Test
  public void shouldKeepColumnsAndFitATerminal() {
    List<String> lines = plain(true);
    int column = lines.get(0).indexOf("1.0");
    assertEquals(lines.get(1).indexOf("no library"), column);
    assertEquals(lines.get(2).indexOf("→ install it"), column);
    lines.forEach(line -> assertTrue(line.length() <= Wrapped.COLUMNS, line));
  }
}
