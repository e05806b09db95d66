// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.io.CalibrationJson;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.LinkCost;
import io.tombolo.topology.render.CalibrationText;
import io.tombolo.topology.render.Paint;
import java.time.Instant;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class CalibrationTest {
  private static final Calibration MEASURED =
      new Calibration(
          "0123456789abcdef",
          "node7",
          "emu-nvidia:2,emu-amd:1 on 2 hosts from node7, over shm,tcp",
          Instant.parse("2026-01-31T12:00:00Z"),
          ImmutableList.of(
              path(PathKind.COPY, "emu-nvidia", 0, 0, false, 1_000_000, 20_000),
              path(PathKind.VENDOR, "emu-nvidia", 0, 1, false, 3_000_000, 100_000),
              path(PathKind.FABRIC, "shm", 1, 2, false, 5_000_000, 10_000),
              path(PathKind.FABRIC, "shm", 0, 2, false, 7_000_000, 8_000),
              path(PathKind.FABRIC, "tcp", 2, 3, true, 50_000_000, 1_000)));

  private static MeasuredPath path(
      PathKind kind, String name, int from, int to, boolean network, long latencyPs, int width) {
    return new MeasuredPath(kind, name, from, to, network, new LinkCost(latencyPs, width));
  }

  @Test
  public void shouldReadBackItsOwnJson() {
    Calibration again = CalibrationJson.read(CalibrationJson.write(MEASURED), "round trip");
    assertEquals(again, MEASURED);
    assertEquals(again.digest(), MEASURED.digest());
    assertEquals(
        CalibrationJson.read(CalibrationJson.write(Calibration.none()), "none"),
        Calibration.none());
  }

  @Test
  public void shouldCostWhatWasMeasuredWithACopyAtEachEndOfAFabric() {
    assertEquals(
        MEASURED.cost(PathKind.FABRIC, "shm", false), Optional.of(new LinkCost(5_000_000, 10_000)));
    assertEquals(MEASURED.cost(PathKind.FABRIC, "shm", true), Optional.empty());
    assertEquals(
        MEASURED.costs().measured().get(LinkClass.VENDOR), new LinkCost(3_000_000, 100_000));
    // 1/20 000 + 1/10 000 + 1/20 000 = 1/5000 and 1/20 000 + 1/1000 + 1/20 000 = 1/909
    assertEquals(MEASURED.costs().measured().get(LinkClass.SYSTEM), new LinkCost(7_000_000, 4_999));
    assertEquals(MEASURED.costs().measured().get(LinkClass.NETWORK).latencyPs(), 52_000_000L);
    assertTrue(Calibration.none().costs().measured().isEmpty());
  }

  @Test
  public void shouldDigestFiguresAndNotTheTimeOfMeasuring() {
    Calibration later =
        new Calibration(
            MEASURED.key(), MEASURED.host(), MEASURED.subject(), Instant.EPOCH, MEASURED.paths());
    Calibration fewer =
        new Calibration(
            MEASURED.key(),
            MEASURED.host(),
            MEASURED.subject(),
            MEASURED.measuredAt(),
            MEASURED.paths().subList(0, 3));
    assertEquals(later.digest(), MEASURED.digest());
    assertNotEquals(fewer.digest(), MEASURED.digest());
    assertEquals(Calibration.none().digest(), "none");
  }

  @DataProvider
  public Object[][] damages() {
    return new Object[][] {
      {"tombolo-calibration", "tombolo-topology", "is not a calibration"},
      {"\"version\": 1", "\"version\": 2", "has version 2"},
      {"2026-01-31T12:00:00Z", "yesterday", "measuredAt is not a time"},
      {"\"copy\"", "\"teleport\"", "paths[0] has a kind"},
      {"\"to\": 2", "\"to\": 1", "paths[2] leads from rank 1 to rank 1"},
      {"\"from\": 1", "\"from\": 0", "paths[3] is a path that was listed before"},
      {"\"to\": 3", "\"to\": 1000000000", "paths[4].to is not a whole number"},
      {"5000000,", "-1,", "paths[2].latencyPs is not a whole number from 0"},
      {"\"megabytesPerSecond\": 1000\n", "\"megabytesPerSecond\": 0\n", "paths[4].megabytesPer"},
      {"\"megabytesPerSecond\": 1000\n", "\"megabytesPerSecond\": 0.5\n", "is not a whole number"},
      {"\"key\"", "\"kez\"", "has no 'key'"},
    };
  }

  @Test(dataProvider = "damages")
  public void shouldSayWhatIsWrongWithADamagedFile(String was, String is, String complaint) {
    String damaged = CalibrationJson.write(MEASURED).replace(was, is);
    UsageException error =
        expectThrows(UsageException.class, () -> CalibrationJson.read(damaged, "a.json"));
    assertTrue(error.getMessage().startsWith("a.json"), error.getMessage());
    assertTrue(error.getMessage().contains(complaint), error.getMessage());
  }

  @Test
  public void shouldShowPairsKindsAndClasses() {
    String text = CalibrationText.render(MEASURED, Paint.NONE);
    assertTrue(text.startsWith(MEASURED.subject() + ", measured 2026-01-31T12:00:00Z\n"), text);
    assertTrue(text.contains("  r1  3.0  -    5.0   -\n"), text);
    assertTrue(text.contains("fabric  tcp         between hosts  50.0 µs, 1.00 GB/s\n"), text);
    assertTrue(text.contains("NET  52.0 µs, 0.91 GB/s"), text);
    assertEquals(CalibrationText.list(ImmutableList.of(), Paint.NONE), "");
  }
}
