// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Splitter;
import io.tombolo.adaptors.device.CompilerDialect;
import io.tombolo.adaptors.device.Constant;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.Role;
import io.tombolo.adaptors.device.RuntimeCallShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What the documents say can be asked of each runtime is what its row has. */
public final class DeviceRuntimeTableTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "emulated-devices.md");
  private static final Path ERRORS = Path.of("..", "..", "docs", "errors.md");

  @DataProvider
  public static Object[][] rows() {
    return DeviceDialectWitnessTest.allRows().stream()
        .map(row -> new Object[] {row})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "rows")
  public void shouldSayWhatCanBeAsked(DeviceDialect row) throws IOException {
    assertEquals(
        cells(row.name()),
        List.of(words(row), order(row), captures(row), registered(row), flush(row), kernels(row)));
  }

  /** Of what callers bring. */
  @Test(dataProvider = "rows")
  public void shouldNameTheCallsThatTellOfAddressesAndStreams(DeviceDialect row)
      throws IOException {
    List<String> calls =
        Stream.of(Role.POINTER_ATTRIBUTE, Role.STREAM_CONTEXT)
            .filter(row.symbols()::containsKey)
            .map(role -> "`" + row.symbols().get(role).replaceFirst("@.*", "") + "`")
            .toList();
    assertTrue(
        Files.readAllLines(ERRORS, UTF_8).stream()
            .anyMatch(line -> line.startsWith("| ") && calls.stream().allMatch(line::contains)),
        row.name() + ": no line of the table in " + ERRORS + " names " + calls);
  }

  private static String words(DeviceDialect row) {
    if (row.isHostOrdered()) {
      return "never";
    }
    if (!row.symbols().containsKey(Role.WAIT_VALUE)) {
      return "gates";
    }
    return row.constants().containsKey(Constant.CAN_WAIT_FOR_WORDS) ? "asked" : "tried";
  }

  private static String order(DeviceDialect row) {
    if (row.isHostOrdered()) {
      return "host's order";
    }
    return row.symbols().containsKey(Role.STREAM_CREATE_RANKED) ? "priority" : "probed";
  }

  private static String captures(DeviceDialect row) {
    return row.symbols().containsKey(Role.STREAM_CAPTURING) ? "asked" : "unknown";
  }

  private static String registered(DeviceDialect row) {
    if (!row.symbols().containsKey(Role.HOST_REGISTER)) {
      return "no";
    }
    if (row.shapes().contains(RuntimeCallShape.ASCEND_CL)) {
      return "mapped address";
    }
    return row.constants().containsKey(Constant.CAN_USE_HOST_POINTERS)
            || row.symbols().containsKey(Role.HOST_POINTER)
        ? "asked"
        : "assumed";
  }

  private static String flush(DeviceDialect row) {
    return row.symbols().containsKey(Role.FLUSH) ? "asked" : "no";
  }

  private static String kernels(DeviceDialect row) {
    return row.compiler().map(CompilerDialect::name).orElse("no");
  }

  /** The cells of the runtime's row, without its name. */
  private static List<String> cells(String runtime) throws IOException {
    List<String> lines =
        Files.readAllLines(PAGE, UTF_8).stream()
            .filter(line -> line.startsWith("| " + runtime + " |"))
            .toList();
    assertEquals(lines.size(), 1, "rows of " + PAGE + " that begin with " + runtime);
    List<String> cells = Splitter.on('|').trimResults().splitToList(lines.get(0));
    return cells.subList(2, cells.size() - 1);
  }
}
