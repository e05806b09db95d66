// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import org.testng.annotations.Test;

public class ProcessorChecksTest {
  private static Finding ranks(int usable, int online, Map<String, String> variables) {
    ImmutableList<Finding> findings = new ProcessorChecks(usable, online).findings(variables);
    assertEquals(findings.get(1).name(), "ranks");
    return findings.get(1);
  }

  private static Map<String, String> openMpi(int ranksOfThisHost) {
    return Map.of(
        "OMPI_COMM_WORLD_RANK",
        "0",
        "OMPI_COMM_WORLD_SIZE",
        "8",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "0",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
        Integer.toString(ranksOfThisHost));
  }

  @Test
  public void shouldSayThatRanksTakeTurnsWhereALauncherTellsOfMoreThanProcessors() {
    Finding crowd = ranks(4, 4, openMpi(8));
    assertEquals(crowd.state(), Finding.State.POOR);
    assertEquals(
        crowd.value(), "8 of one job, as OMPI_COMM_WORLD_LOCAL_SIZE says: they share 4 processors");
    assertTrue(crowd.fix().contains("fewer"), crowd.fix());
  }

  @Test
  public void shouldFindNoFaultWhereThereIsAProcessorForEach() {
    Finding each = ranks(4, 4, openMpi(4));
    assertEquals(each.state(), Finding.State.GOOD);
    assertTrue(each.value().startsWith("4 of one job"), each.value());
    assertTrue(each.value().contains("a processor for each"), each.value());
  }

  /** Eight ranks may have four processors each, or the same four. */
  @Test
  public void shouldNotJudgeRanksThatMayBeBoundToProcessorsOfTheirOwn() {
    Finding bound = ranks(4, 32, openMpi(8));
    assertEquals(bound.state(), Finding.State.GOOD);
    assertTrue(bound.value().contains("when they join"), bound.value());
  }

  @Test
  public void shouldSayWhatItDoesNotKnow() {
    Finding unknown = ranks(4, 4, Map.of());
    assertEquals(unknown.state(), Finding.State.GOOD);
    assertTrue(unknown.value().startsWith("unknown"), unknown.value());
  }

  @Test
  public void shouldTellOfVariablesThatMakeNoSense() {
    Finding wrong = ranks(4, 4, Map.of("RANK", "0", "WORLD_SIZE", "2", "LOCAL_WORLD_SIZE", "x"));
    assertEquals(wrong.state(), Finding.State.POOR);
    assertTrue(wrong.value().contains("LOCAL_WORLD_SIZE"), wrong.value());
  }

  @Test
  public void shouldSayWhichProcessorsThisProcessMayNotUse() {
    assertTrue(processors(2, 8).startsWith("2 of 8, by affinity or a cgroup;"), processors(2, 8));
    assertTrue(processors(8, 8).startsWith("8;"), processors(8, 8));
    assertTrue(processors(8, 0).startsWith("8;"), processors(8, 0));
  }

  private static String processors(int usable, int online) {
    return new ProcessorChecks(usable, online).findings(Map.of()).get(0).value();
  }
}
