// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import io.tombolo.adaptors.HardwareQueues;
import io.tombolo.adaptors.OrderKeeper;
import io.tombolo.adaptors.Vendors;
import io.tombolo.cli.Ran;
import io.tombolo.runtime.ReductionOutlook;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.ProbedDevice;
import io.tombolo.topology.detect.ProbedDevices;
import io.tombolo.topology.detect.RecordedFiles;
import io.tombolo.topology.machine.Accelerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.ZipFile;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class DoctorCommandTest {
  private static final String FIT =
      """
      /proc/self/limits: Max locked memory         unlimited            unlimited            bytes
      /proc/sys/kernel/osrelease: 6.1.0-18-amd64
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

  @Test(timeOut = 120_000)
  public void shouldFindNoFaultWithFitHost() {
    Map<String, Finding> findings = findings(FIT, Optional.of(8L << 30));
    assertEquals(
        findings.values().stream().filter(each -> each.state() != Finding.State.GOOD).count(),
        0,
        findings.toString());
    assertEquals(findings.get("huge pages").value(), "12 free of 2.0 MiB");
    assertEquals(findings.get("mlx5_0").value(), "port 1 active, Ethernet, 100 Gb/s, 0 GIDs");
  }

  @Test(timeOut = 120_000)
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

  @Test(timeOut = 120_000)
  public void shouldTellWhatRuntimesSayAndWhatOnlyTheKernelKnows() {
    ProbedDevices probed =
        new ProbedDevices(
            ImmutableList.of(
                new ProbedDevice(
                    "amd", 0, "MI300X", "", "0000:C1:00.0", 192L << 30, "HIP 6", false),
                new ProbedDevice("emu-amd", 0, "it", "", "0000:80:00.0", 1, "HIP 6", true)));
    Map<String, Finding> findings =
        Maps.uniqueIndex(
            DeviceChecks.findings(
                probed,
                List.of(
                    new Accelerator("0000:c1:00.0", "", -1, 0, "amd", "74a1"),
                    new Accelerator("0000:80:00.0", "", -1, 0, "amd", "74a1")),
                vendor ->
                    vendor.equals("amd")
                        ? new ReductionOutlook("host engine (no hipRTC)", "install hipRTC")
                        : new ReductionOutlook("host engine (emulated)", ""),
                vendor -> vendor.equals("amd") ? OrderKeeper.BY_DEVICE : OrderKeeper.BY_HOST,
                vendor -> Optional.empty(),
                name -> Optional.empty()),
            Finding::name);
    assertEquals(findings.get("amd:0").value(), "MI300X, 192.0 GiB, 0000:c1:00.0, HIP 6");
    assertEquals(
        findings.get("amd:*"),
        Finding.poor(
            "device",
            "amd:*",
            "devices: 1; reductions: host engine (no hipRTC); streams: held by the device",
            "install hipRTC"));
    assertEquals(
        findings.get("emu-amd:*"),
        Finding.good(
            "device",
            "emu-amd:*",
            "emulated devices: 1; reductions: host engine (emulated); streams: in the host's order,"
                + " as they cannot wait for it"));
    assertEquals(findings.get("0000:80:00.0").state(), Finding.State.POOR);
    assertEquals(findings.size(), 4);
  }

  /** What the user has set, what is said of it, and what to do. */
  @DataProvider
  public static Object[][] queues() {
    return new Object[][] {
      {Map.of(), "CUDA_DEVICE_MAX_CONNECTIONS=32 unless somebody else opens the device first", ""},
      {Map.of(HardwareQueues.CUDA, "32"), "CUDA_DEVICE_MAX_CONNECTIONS is 32", ""},
      {
        Map.of(HardwareQueues.CUDA, "1"),
        "CUDA_DEVICE_MAX_CONNECTIONS is 1",
        "streams share few hardware queues, in which one that waits holds up the others: unset"
            + " CUDA_DEVICE_MAX_CONNECTIONS, or set CUDA_DEVICE_MAX_CONNECTIONS=32"
      },
    };
  }

  @Test(timeOut = 120_000, dataProvider = "queues")
  public void shouldTellWhichHardwareQueuesDevicesGet(
      Map<String, String> environment, String text, String fix) {
    ProbedDevice device =
        new ProbedDevice("nvidia", 0, "H200", "", "0000:01:00.0", 1, "CUDA 13", false);
    Map<String, Finding> findings =
        Maps.uniqueIndex(
            DeviceChecks.findings(
                new ProbedDevices(ImmutableList.of(device)),
                List.of(),
                vendor -> new ReductionOutlook("device", ""),
                vendor -> OrderKeeper.BY_DEVICE,
                vendor -> HardwareQueues.of(Vendors.named(vendor).environment()),
                name -> Optional.ofNullable(environment.get(name))),
            Finding::name);
    assertEquals(
        findings.get("nvidia:queues"),
        fix.isEmpty()
            ? Finding.good("device", "nvidia:queues", text)
            : Finding.poor("device", "nvidia:queues", text, fix));
  }

  @Test(timeOut = 120_000)
  public void shouldListFindingsAsJson() {
    Ran ran = Ran.of("doctor --json");
    assertEquals(ran.code(), 0, ran.err());
    JsonArray findings = JsonParser.parseString(ran.out()).getAsJsonArray();
    assertTrue(findings.size() > 8, ran.out());
    findings.forEach(each -> assertTrue(each.getAsJsonObject().has("state"), ran.out()));
    Set<String> names =
        findings.asList().stream()
            .map(each -> each.getAsJsonObject().get("name").getAsString())
            .collect(Collectors.toSet());
    assertTrue(names.containsAll(Set.of("processors", "ranks", "ucx")), ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldFailOnlyForMissingVendorsThatAreNeeded() {
    assertEquals(Ran.of("doctor").code(), 0, "nobody needs what is missing");
    assertEquals(Ran.of("doctor --need emu-nvidia").code(), 0);
    Ran ran = Ran.of("doctor --need nvidia");
    boolean available = ran.out().contains("✓ vendor  nvidia ");
    assertEquals(ran.code(), available ? 0 : 1, ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldTellGidsDeviceMemoryPauseAndClock() {
    Map<String, Finding> findings =
        findings(
            FIT
                + """
                /sys/devices/system/clocksource/clocksource0/current_clocksource: acpi_pm
                /sys/devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0/ports/1/gids/0: fe80:0000:0000:0000:0000:0000:0000:0001
                /sys/devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0/ports/1/gids/1: 0000:0000:0000:0000:0000:0000:0000:0000
                /sys/devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0/ports/1/gid_attrs/types/0: RoCE v2
                /sys/module/nvidia_peermem/refcnt: 0
                """,
            Optional.of(8L << 30));
    assertEquals(
        findings.get("mlx5_0 port 1 GIDs").value(),
        "0 fe80:0000:0000:0000:0000:0000:0000:0001 (RoCE v2)");
    assertEquals(findings.get("device memory").value(), "nvidia_peermem, dma-buf (kernel 6.1)");
    assertTrue(findings.get("mlx5_0 PFC").value().contains("dcb pfc show"));
    assertTrue(findings.get("clock").fix().contains("clocksource=tsc"));
    assertEquals(Prerequisites.parse("rdma", List.copyOf(findings.values())).missing(), List.of());
    Map<String, Finding> down = findings(FIT.replace("4: ACTIVE", "1: DOWN"), Optional.empty());
    assertEquals(
        Prerequisites.parse("rdma", List.copyOf(down.values())).missing(), List.of("rdma"));
  }

  @Test(timeOut = 120_000)
  public void shouldBundleWhatABugReportNeedsWithoutSecrets() throws IOException {
    Path file = Files.createTempFile("bundle", ".zip");
    try {
      Ran ran = Ran.of("doctor --json --bundle " + file);
      assertEquals(ran.code(), 0, ran.err());
      try (ZipFile zip = new ZipFile(file.toFile())) {
        assertEquals(text(zip, "report.json").strip(), ran.out().strip());
        assertTrue(text(zip, "versions.txt").startsWith("tombolo "));
        assertTrue(text(zip, "environment.txt").contains("PATH="));
        assertEquals(
            Detection.of(RecordedFiles.parse(text(zip, "system.txt"), "system.txt")),
            Detection.local());
      }
    } finally {
      Files.delete(file);
    }
  }

  private static String text(ZipFile zip, String name) throws IOException {
    return new String(zip.getInputStream(zip.getEntry(name)).readAllBytes(), UTF_8);
  }

  @Test(timeOut = 120_000)
  public void shouldMaskWhateverCouldBeASecret() {
    String token = "0123456789abcdef".repeat(4);
    Map<String, String> masked =
        Secrets.masked(
            Map.of(
                "TOMBOLO_TOKEN", token,
                "OTHER", "x" + token,
                "AWS_SECRET_ACCESS_KEY", "a",
                "DB_PASSWORD", "b",
                "PROXY", "http://me:hush@proxy:80",
                "HOME", "/root",
                "PLAIN", "http://proxy:80"));
    assertEquals(
        masked,
        Map.of(
            "TOMBOLO_TOKEN", "(hidden)",
            "OTHER", "(hidden)",
            "AWS_SECRET_ACCESS_KEY", "(hidden)",
            "DB_PASSWORD", "(hidden)",
            "PROXY", "(hidden)",
            "HOME", "/root",
            "PLAIN", "http://proxy:80"));
  }
}
