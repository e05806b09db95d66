// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import io.tombolo.base.errors.CorruptException;
import java.util.List;
import java.util.Map;
import org.testng.annotations.Test;

public class RankReportTest {

  @Test
  public void shouldSurviveBeingALine() {
    List<RankReport> reports =
        List.of(
            new RankReport.Joined(
                1,
                "emu-amd",
                "a \"device\"\nin two lines",
                1,
                "its vendor",
                "host engine (why)",
                Map.of("0", "shm")),
            new RankReport.Progress(0, 22, 0.5, 0.9),
            new RankReport.WentOn(3, 2, 3, "emu-amd", 1, 100, 5, false, "rank 2 is gone"),
            new RankReport.Finished(3, "abc", 0.1, 0.97, new Bytes(1, 2), new Bytes(3, 4)));
    for (RankReport report : reports) {
      String json = report.toJson();
      assertEquals(json.lines().count(), 1, json);
      assertEquals(RankReport.fromJson(json), report);
    }
  }

  @Test
  public void shouldRefuseAReportItDoesNotKnow() {
    assertThrows(
        CorruptException.class, () -> RankReport.fromJson("{\"event\":\"Other\",\"rank\":0}"));
  }
}
