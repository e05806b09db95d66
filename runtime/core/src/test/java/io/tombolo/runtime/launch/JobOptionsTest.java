// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.testng.annotations.Test;

public class JobOptionsTest {
  /** With a fabric: auto asks the environment. */
  private static final JobOptions OPTIONS =
      new JobOptions("host:2", null, "tcp", 10, 0, Optional.empty());

  @Test
  public void shouldHaveRanksShareTheClassDataOfTheirLauncher() {
    assertEquals(
        jvmFlagsWith("tombolo.archive", "/build/classes.jsa"),
        ImmutableList.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=0.1",
            "-XX:SharedArchiveFile=/build/classes.jsa",
            "-Xlog:cds*=off"));
    assertEquals(
        jvmFlags(),
        ImmutableList.of(
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1"));
  }

  @Test
  public void shouldPutTheUsersFlagsBehindItsOwn() {
    assertEquals(
        jvmFlagsWith("tombolo.java.opts", "-XX:TieredStopAtLevel=4\n-Dname=two words"),
        ImmutableList.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=0.1",
            "-XX:TieredStopAtLevel=4",
            "-Dname=two words"));
  }

  @Test
  public void shouldLeaveTheJvmItsCompilersWhereJavaMakesPackets() {
    assertEquals(flags("udp", Optional.empty()), ImmutableList.of("-XX:+UseSerialGC"));
    assertEquals(flags("auto", on("a:1,b:1")), ImmutableList.of("-XX:+UseSerialGC"));
    assertEquals(flags("tcp", on("a:2")), jvmFlags());
  }

  private static Optional<Placement> on(String hosts) {
    return Optional.of(Placement.parse(hosts, null, Optional.empty()));
  }

  private static List<String> flags(String fabric, Optional<Placement> placement) {
    JobOptions options = new JobOptions("host:2", null, fabric, 10, 0, placement);
    return options.job(RankMain.class, ImmutableList.of()).jvmFlags();
  }

  private static List<String> jvmFlagsWith(String property, String value) {
    String before = System.setProperty(property, value);
    try {
      return jvmFlags();
    } finally {
      if (before == null) {
        System.clearProperty(property);
      } else {
        System.setProperty(property, before);
      }
    }
  }

  private static List<String> jvmFlags() {
    return OPTIONS.job(RankMain.class, ImmutableList.of()).jvmFlags();
  }
}
