// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import static org.testng.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testng.annotations.Test;

public final class ConfigurationTest {
  private static final Path TABLE = Path.of("..", "..", "docs", "using-it.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `(TOMBOLO_\\w+)` \\| (.*) \\| (yes|no) \\|");
  private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

  private static Configuration.Value value(Setting setting, Map<String, String> environment) {
    return Configuration.of(environment).values().stream()
        .filter(each -> each.setting() == setting)
        .findFirst()
        .orElseThrow();
  }

  @Test
  public void shouldSayWhereEachValueIsFrom() {
    assertEquals(
        value(Setting.FABRICS, Map.of("TOMBOLO_FABRICS", "tcp")),
        new Configuration.Value(Setting.FABRICS, "tcp", Optional.of("TOMBOLO_FABRICS")));
    assertEquals(
        value(Setting.TIMEOUT_MS, Map.of()),
        new Configuration.Value(Setting.TIMEOUT_MS, "300000", Optional.empty()));
    assertEquals(
        value(Setting.GENERATION, Map.of("TORCHELASTIC_RESTART_COUNT", "3")),
        new Configuration.Value(
            Setting.GENERATION, "3", Optional.of("TORCHELASTIC_RESTART_COUNT")));
    Map<String, String> openMpi =
        Map.of(
            "TOMBOLO_VENDOR", "nvidia",
            "OMPI_COMM_WORLD_RANK", "1",
            "OMPI_COMM_WORLD_SIZE", "2",
            "OMPI_COMM_WORLD_LOCAL_RANK", "1",
            "OMPI_COMM_WORLD_LOCAL_SIZE", "2");
    assertEquals(
        Optional.of(value(Setting.DEVICE, openMpi).value()),
        Optional.ofNullable(JobEnvironment.settingsOf(openMpi).get(JobEnvironment.DEVICE))
            .or(() -> Optional.of(Setting.DEVICE.fallback())));
  }

  @Test
  public void shouldNameWhatLooksLikeASettingAndIsNone() {
    assertEquals(
        Configuration.of(
                Map.of(
                    "TOMBOLO_SEGMENT_BYTE", "4096",
                    "TOMBOLO_FABRICS", "tcp",
                    "TOMBOLO_EMU_DEVICES", "2",
                    "TOMBOLO_LOG", "DEBUG",
                    "TOMBOLO_JAVA_OPTS", "-Xmx1g",
                    "HOME", "/"))
            .unknown(),
        List.of("TOMBOLO_SEGMENT_BYTE"));
  }

  @Test
  public void shouldSayOfSettingsWhatTheDocumentsSay() throws IOException {
    List<String> documented = new ArrayList<>();
    for (String line : Files.readAllLines(TABLE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        String text = LINK.matcher(row.group(2)).replaceAll("$1").replace("`", "");
        documented.add(row.group(1) + " | " + text + " | " + row.group(3));
      }
    }
    List<String> known =
        Arrays.stream(Setting.values())
            .map(
                each ->
                    "%s | %s; %s | %s"
                        .formatted(
                            each.variable(),
                            each.meaning(),
                            each.fallback(),
                            each.scope() == Setting.Scope.JOB ? "yes" : "no"))
            .toList();
    assertEquals(known, documented);
  }
}
