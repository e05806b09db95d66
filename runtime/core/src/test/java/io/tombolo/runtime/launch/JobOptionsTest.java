// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.testng.annotations.Test;

public class JobOptionsTest {
  private static final JobOptions OPTIONS =
      new JobOptions("host:2", null, "auto", 10, 0, Optional.empty());

  @Test
  public void shouldHaveRanksShareTheClassDataOfTheirLauncher() {
    String before = System.setProperty("tombolo.archive", "/build/classes.jsa");
    try {
      assertEquals(
          OPTIONS.job(RankMain.class, ImmutableList.of()).jvmFlags(),
          ImmutableList.of(
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-XX:SharedArchiveFile=/build/classes.jsa",
              "-Xlog:cds*=off"));
    } finally {
      if (before == null) {
        System.clearProperty("tombolo.archive");
      } else {
        System.setProperty("tombolo.archive", before);
      }
    }
    assertEquals(
        OPTIONS.job(RankMain.class, ImmutableList.of()).jvmFlags(),
        ImmutableList.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
  }
}
