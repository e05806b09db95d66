package io.tombolo.cli.doctor;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.Maps;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.tombolo.cli.Ran;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.RecordedFiles;
import java.util.Map;
import java.util.Optional;
import org.testng.annotations.Test;

public class DoctorCommandTest {
  private static final String FIT =
      """
      /proc/self/limits: Max locked memory         unlimited            unlimited            bytes
      /proc/meminfo: HugePages_Free:      12\\nHugepagesize:       2048 kB
      /sys/devices/pci0000:00/0000:00:01.0/class: 0x020000
      /sys/bus/pci/devices/0000:00:01.0 -> ../../../devices/pci0000:00/0000:00:01.0
      /sys/devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0/ports/1/state: 4: ACTIVE
      /sys/devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0/ports/1/rate: 100 Gb/sec (4X EDR)
      /sys/devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0/ports/1/link_layer: Ethernet
      /sys/class/infiniband/mlx5_0 -> ../../devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0
      """;

  private static Map<String, Finding> findings(String recording, Optional<Long> sharedFree) {
    RecordedFiles files = RecordedFiles.parse(recording, "recording");
    return Maps.uniqueIndex(
        new HostChecks(files, Detection.of(files)).findings(sharedFree), Finding::name);
  }

  @Test
  public void shouldFindNoFaultWithFitHost() {
    Map<String, Finding> findings = findings(FIT, Optional.of(8L << 30));
    assertEquals(
        findings.values().stream().filter(each -> each.state() != Finding.State.GOOD).count(),
        0,
        findings.toString());
    assertEquals(findings.get("huge pages").value(), "12 free of 2.0 MiB");
    assertEquals(findings.get("mlx5_0").value(), "port 1 active, Ethernet, 100 Gb/s, 0 GIDs");
  }

  @Test
  public void shouldSayWhatHelps() {
    Map<String, Finding> findings =
        findings(
            FIT.replace("unlimited            unlimited", "65536                65536")
                .replace("4: ACTIVE", "1: DOWN"),
            Optional.empty());
    assertEquals(findings.get("locked memory").value(), "64.0 KiB");
    assertTrue(findings.get("locked memory").fix().contains("ulimit -l"));
    assertTrue(findings.get("mlx5_0").fix().contains("cable"));
    assertEquals(findings.get("/dev/shm").state(), Finding.State.MISSING);
  }

  @Test
  public void shouldListFindingsAsJson() {
    Ran ran = Ran.of("doctor --json");
    assertEquals(ran.code(), 0, ran.err());
    JsonArray findings = JsonParser.parseString(ran.out()).getAsJsonArray();
    assertTrue(findings.size() > 8, ran.out());
    findings.forEach(each -> assertTrue(each.getAsJsonObject().has("state"), ran.out()));
    assertTrue(
        findings.asList().stream()
            .map(JsonElement::getAsJsonObject)
            .anyMatch(each -> each.get("name").getAsString().equals("ucx")),
        ran.out());
  }

  @Test
  public void shouldFailOnlyForMissingVendorsThatAreNeeded() {
    assertEquals(Ran.of("doctor").code(), 0, "nobody needs what is missing");
    assertEquals(Ran.of("doctor --need emu-nvidia").code(), 0);
    Ran ran = Ran.of("doctor --need nvidia");
    boolean available = ran.out().contains("✓ vendor  nvidia ");
    assertEquals(ran.code(), available ? 0 : 1, ran.out());
  }
}
