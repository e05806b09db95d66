// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.tombolo.base.Capabilities;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.MeasuredPath;
import io.tombolo.topology.calibration.PathKind;
import io.tombolo.topology.machine.CpuSet;
import io.tombolo.topology.machine.LinkCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class CalibrationFilesTest {
  private Path folder;
  private CalibrationFiles files;

  @BeforeMethod
  public void makeFolder() throws IOException {
    folder = Files.createTempDirectory("calibrations");
    files = new CalibrationFiles(folder.resolve("not/there/yet"));
  }

  @AfterMethod
  public void deleteFolder() throws IOException {
    MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
  }

  private static Calibration calibration(String key, int width) {
    MeasuredPath path =
        new MeasuredPath(PathKind.FABRIC, "shm", 0, 1, false, new LinkCost(1, width));
    return new Calibration(key, "host", "subject", Instant.EPOCH, ImmutableList.of(path));
  }

  @Test
  public void shouldKeepTheLatestOfEachKeyUntilItIsForgotten() {
    assertEquals(files.all(), List.of());
    assertEquals(files.find("b"), Optional.empty());
    files.save(calibration("b", 1));
    files.save(calibration("a", 2));
    Path file = files.save(calibration("b", 3));
    assertEquals(files.all(), List.of(calibration("a", 2), calibration("b", 3)));
    assertEquals(CalibrationFiles.read(file), calibration("b", 3));
    assertEquals(files.forget(), 2);
    assertEquals(files.find("b"), Optional.empty());
    assertEquals(files.forget(), 0);
  }

  @Test
  public void shouldDoWithoutAFileThatIsDamaged() throws IOException {
    Path file = files.save(calibration("a", 1));
    Files.writeString(file, "{\"format\":");
    assertEquals(files.find("a"), Optional.empty());
    assertEquals(files.all(), List.of());
    assertTrue(
        expectThrows(UsageException.class, () -> CalibrationFiles.read(file))
            .getMessage()
            .contains("is not JSON"));
    Files.writeString(file, " ".repeat(2 << 20));
    assertEquals(files.find("a"), Optional.empty());
    assertEquals(files.forget(), 1);
  }

  @Test
  public void shouldSayWhatToDoWhereNothingCanBeKept() throws IOException {
    Files.writeString(folder.resolve("not"), "a file");
    ResourceException error =
        expectThrows(ResourceException.class, () -> files.save(calibration("a", 1)));
    assertTrue(error.getMessage().contains("TOMBOLO_CACHE"), error.getMessage());
  }

  @Test
  public void shouldHaveAnotherKeyForOtherRanksDevicesHostsOrFabrics() {
    String key = key("node7", "d0 d1", "h h", "shm,tcp");
    assertEquals(key("node7", "d0 d1", "other other", "shm,tcp"), key, "after a reboot");
    assertNotEquals(key("node8", "d0 d1", "h h", "shm,tcp"), key);
    assertNotEquals(key("node7", "d1 d0", "h h", "shm,tcp"), key);
    assertNotEquals(key("node7", "d0 d1", "h i", "shm,tcp"), key);
    assertNotEquals(key("node7", "d0 d1", "h h", "tcp"), key);
    assertNotEquals(key("node7", "d0 d1 d2", "h h h", "shm,tcp"), key);
  }

  private static String key(String hostName, String devices, String hosts, String fabrics) {
    List<String> device = List.of(devices.split(" ", -1));
    List<String> host = List.of(hosts.split(" ", -1));
    return CalibrationSubject.of(
            hostName,
            IntStream.range(0, device.size())
                .mapToObj(rank -> descriptor(rank, device.get(rank), host.get(rank), fabrics))
                .toList())
        .key();
  }

  private static RankDescriptor descriptor(int rank, String device, String host, String fabrics) {
    ImmutableMap.Builder<String, byte[]> addresses = ImmutableMap.builder();
    List.of(fabrics.split(",", -1)).forEach(name -> addresses.put(name, new byte[0]));
    return new RankDescriptor(
        1,
        1,
        "build",
        rank,
        "emu-nvidia",
        device,
        "",
        host,
        1,
        CpuSet.ofList(""),
        Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of()),
        addresses.buildOrThrow(),
        ImmutableList.of(),
        ImmutableSortedMap.of());
  }
}
