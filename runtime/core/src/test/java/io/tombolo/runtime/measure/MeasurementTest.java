// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.Multimaps;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.PathKind;
import io.tombolo.topology.io.CalibrationJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Measurements by real processes. */
public class MeasurementTest {
  private final ListMultimap<Integer, Calibration> said =
      Multimaps.synchronizedListMultimap(ArrayListMultimap.create());
  private Path cache;

  @BeforeMethod
  public void makeCache() throws IOException {
    said.clear();
    cache = Files.createTempDirectory("tombolo-cache");
  }

  @AfterMethod
  public void deleteCache() throws IOException {
    MoreFiles.deleteRecursively(cache, RecursiveDeleteOption.ALLOW_INSECURE);
  }

  @Test(timeOut = 120_000)
  public void shouldGiveAllRanksTheFiguresOfRankZeroAndReuseThemWhenTheyJoin() {
    JobResult result = run("auto", "none absent", "shm");
    assertTrue(result.isSuccess(), result.toString());
    Calibration measured = said.get(0).get(0);
    assertEquals(measured.paths().size(), 3 + 3, measured.toString());
    assertTrue(measured.cost(PathKind.FABRIC, "shm", false).isPresent(), measured.toString());
    assertTrue(measured.cost(PathKind.VENDOR, "emu-amd", false).isPresent(), measured.toString());
    assertTrue(measured.cost(PathKind.COPY, "emu-nvidia", false).isPresent(), measured.toString());
    for (int rank = 0; rank < 3; rank++) {
      assertEquals(said.get(rank), List.of(measured, measured), "rank " + rank);
    }
    assertEquals(new CalibrationFiles(cache.resolve("calibration")).all(), List.of(measured));
  }

  @Test(timeOut = 120_000)
  public void shouldUseNoFiguresWhereTheyAreSwitchedOff() {
    JobResult result = run("off", "none absent", "tcp");
    assertTrue(result.isSuccess(), result.toString());
    assertTrue(said.get(2).get(0).cost(PathKind.FABRIC, "tcp", false).isPresent());
    assertEquals(said.get(2).get(1), Calibration.none());
  }

  @Test(timeOut = 120_000)
  public void shouldNameTheRankThatDidNotComeToMeasure() {
    JobResult result = run("auto", "1", "shm");
    assertFalse(result.isSuccess());
    assertTrue(result.failure().orElseThrow().contains("rank 1"), result.toString());
  }

  private JobResult run(String calibration, String absent, String fabrics) {
    JobSpec job =
        JobSpec.of(
                ClusterSpec.parse("emu-nvidia:1,emu-amd:2", "emu-amd,emu-nvidia,emu-amd"),
                MeasuringRank.class,
                absent)
            .withJvmFlags("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
            .withTimes(Duration.ofSeconds(absent.length() == 1 ? 4 : 30), Duration.ofSeconds(1))
            .withSettings(
                ImmutableSortedMap.of(
                    "cache", cache.toString(), "calibration", calibration, "fabrics", fabrics));
    return JobLauncher.run(
        job,
        new RankEvents() {
          @Override
          public void onEvent(int rank, String json) {
            said.put(rank, CalibrationJson.read(json, "rank " + rank));
          }

          @Override
          public void onOutput(int rank, String line) {}
        });
  }
}
