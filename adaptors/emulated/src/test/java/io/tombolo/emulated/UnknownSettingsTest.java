// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Vendor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/** What the emulation says of settings that it does not understand. */
public final class UnknownSettingsTest {
  private static final int TIMEOUT_MS = 300_000;
  private static final Path DOCS = Path.of(System.getProperty("tombolo.root"), "docs");
  private static final Pattern VARIABLE = Pattern.compile("`TOMBOLO_EMU_([A-Z_]+)");
  private static final String WORDS =
      " docs/emulated-devices.md and docs/working-on-it.md have its words";
  private static final String VARIABLES =
      " docs/emulated-devices.md and docs/working-on-it.md have all of them";

  /** Each of them, its value, and what is said. */
  private static final ImmutableSortedMap<String, List<String>> WRONG =
      ImmutableSortedMap.<String, List<String>>naturalOrder()
          .put("KIND", List.of("queue,frees", "there is no 'queue'; did you mean queues?" + WORDS))
          .put("UNKIND", List.of("lock", "there is no 'lock'; did you mean locks?" + WORDS))
          .put("LACKS", List.of("flush,host", "there is no 'host':" + WORDS))
          .put(
              "PRIORITIES",
              List.of("emu-nvdia", "there is no 'emu-nvdia'; did you mean emu-nvidia?" + WORDS))
          .put(
              "SLOW_US",
              List.of(
                  "emu-amd:1,emu-ntel:2",
                  "there is no 'emu-ntel'; did you mean emu-intel?" + WORDS))
          .put("SLOW_INIT_MS", List.of("emu-amd:soon", "'emu-amd:soon' is no whole number"))
          .put("DEVICES", List.of("two", "'two' is no whole number"))
          .buildOrThrow();

  @Test(timeOut = TIMEOUT_MS)
  public void shouldReportWordsAndNumbersThatMeanNothing() throws IOException {
    Map<String, String> environment = new HashMap<>();
    WRONG.forEach((name, row) -> environment.put(name, row.get(0)));
    assertEquals(
        reported(environment),
        WRONG.entrySet().stream()
            .map(row -> "TOMBOLO_EMU_" + row.getKey() + ": " + row.getValue().get(1))
            .sorted()
            .toList());
  }

  @Test(timeOut = TIMEOUT_MS)
  public void shouldReportVariablesThatThereAreNot() throws IOException {
    assertEquals(
        reported(Map.of("QUEUE", "1", "NONSENSE_OF_ANY_KIND", "1")),
        List.of(
            "there is no TOMBOLO_EMU_NONSENSE_OF_ANY_KIND:" + VARIABLES,
            "there is no TOMBOLO_EMU_QUEUE; did you mean TOMBOLO_EMU_QUEUES?" + VARIABLES));
  }

  @Test(timeOut = TIMEOUT_MS)
  public void shouldKnowAllVendorsAndVariablesOfTheDocuments() throws IOException {
    Map<String, String> environment = new HashMap<>();
    for (String page : List.of("emulated-devices.md", "working-on-it.md")) {
      Matcher matcher = VARIABLE.matcher(Files.readString(DOCS.resolve(page)));
      while (matcher.find()) {
        environment.put(matcher.group(1), "");
      }
    }
    assertTrue(environment.size() > 20, environment.toString());
    List<String> vendors =
        new ArrayList<>(new EmulatedVendors().vendors().stream().map(Vendor::name).toList());
    vendors.addAll(List.of("emu-level-zero", "emu-maca", "emu-musa", "emu-tops"));
    environment.put(
        "SLOW_US", vendors.stream().map(name -> name + ":0").collect(Collectors.joining(",")));
    assertEquals(reported(environment), List.of());
  }

  /** What a process in this environment reports, in order of letters. */
  private static List<String> reported(Map<String, String> settings) throws IOException {
    Path report = Files.createTempFile("strict", ".txt");
    try {
      Map<String, String> environment = new HashMap<>();
      settings.forEach((name, value) -> environment.put("TOMBOLO_EMU_" + name, value));
      environment.put("TOMBOLO_EMU_REPORT", report.toString());
      ChildProcess child = ChildProcess.run(DeviceProgram.class, environment, "copy");
      assertEquals(child.exitCode(), 0, child.toString());
      return Files.readAllLines(report).stream()
          .map(line -> line.substring("emu-nvidia: ".length()))
          .sorted()
          .toList();
    } finally {
      Files.delete(report);
    }
  }
}
