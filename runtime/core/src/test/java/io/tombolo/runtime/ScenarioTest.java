// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;

import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.runtime.Scenario.Blow;
import io.tombolo.runtime.Scenario.Moment;
import io.tombolo.runtime.Scenario.Over;
import io.tombolo.runtime.Scenario.Victim;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.testng.SkipException;
import org.testng.annotations.Test;

/**
 * What becomes of jobs of real processes to which something happens, and how soon those that live
 * know of it: printed, in milliseconds. {@code -Dtombolo.deep=true} has more of them; {@code
 * -Dtombolo.scenario=STORE} only those in whose names that is found.
 */
public class ScenarioTest {
  /** More would wait for processors, and not for what happens. */
  private static final int AT_A_TIME = 2;

  private static final boolean DEEP = Boolean.getBoolean("tombolo.deep");

  private static List<Scenario> table() {
    List<Scenario> rows = new ArrayList<>();
    for (Moment moment : List.of(Moment.JOIN, Moment.COLLECTIVE, Moment.SPLIT, Moment.IDLE)) {
      rows.add(new Scenario(Victim.MIDDLE, Blow.KILL, moment, Over.EMULATED));
      rows.add(new Scenario(Victim.MIDDLE, Blow.STOP, moment, Over.EMULATED));
    }
    for (Blow blow : List.of(Blow.KILL, Blow.STOP)) {
      rows.add(new Scenario(Victim.RANK_0, blow, Moment.JOIN, Over.HOST));
      rows.add(new Scenario(Victim.RANK_0, blow, Moment.COLLECTIVE, Over.HOST));
      rows.add(new Scenario(Victim.RANK_0_WITH_STORE, blow, Moment.COLLECTIVE, Over.EMULATED));
      rows.add(new Scenario(Victim.RANK_0_WITH_STORE, blow, Moment.IDLE, Over.HOST));
      rows.add(new Scenario(Victim.STORE_HOST, blow, Moment.JOIN, Over.HOST));
      rows.add(new Scenario(Victim.STORE_HOST, blow, Moment.COLLECTIVE, Over.EMULATED));
      rows.add(new Scenario(Victim.MIDDLE, blow, Moment.COLLECTIVE, Over.ONE_CCL));
    }
    for (Moment moment : List.of(Moment.JOIN, Moment.COLLECTIVE, Moment.SPLIT, Moment.IDLE)) {
      rows.add(new Scenario(Victim.MIDDLE, Blow.CUT_OFF, moment, Over.EMULATED));
      rows.add(new Scenario(Victim.MIDDLE, Blow.HANG_UP, moment, Over.HOST));
    }
    rows.add(new Scenario(Victim.RANK_0, Blow.STOP, Moment.BEFORE_JOIN, Over.HOST));
    rows.add(new Scenario(Victim.MIDDLE, Blow.STOP, Moment.BEFORE_JOIN, Over.EMULATED));
    rows.add(new Scenario(Victim.MIDDLE, Blow.KILL, Moment.HALVES, Over.EMULATED));
    rows.add(new Scenario(Victim.MIDDLE, Blow.STOP, Moment.HALVES, Over.EMULATED));
    rows.add(new Scenario(Victim.MIDDLE, Blow.CUT_OFF, Moment.HALVES, Over.HOST));
    rows.add(new Scenario(Victim.MIDDLE, Blow.KILL, Moment.SHRINK, Over.EMULATED));
    rows.add(new Scenario(Victim.MIDDLE, Blow.KILL, Moment.AGREED, Over.HOST));
    rows.add(new Scenario(Victim.MIDDLE, Blow.STOP, Moment.AGREED, Over.EMULATED));
    rows.add(new Scenario(Victim.ALL, Blow.STOP_AND_CONTINUE, Moment.COLLECTIVE, Over.EMULATED));
    rows.add(new Scenario(Victim.ALL, Blow.STOP_AND_CONTINUE, Moment.IDLE, Over.HOST));
    if (DEEP) {
      addMore(rows);
    }
    Pattern wanted = Pattern.compile(System.getProperty("tombolo.scenario", ""));
    rows.removeIf(row -> !wanted.matcher(row.toString()).find());
    return rows;
  }

  /** What differs little from the others. */
  private static void addMore(List<Scenario> rows) {
    for (Blow blow : List.of(Blow.KILL, Blow.STOP)) {
      for (Over over : Over.values()) {
        rows.add(new Scenario(Victim.RANK_0, blow, Moment.SPLIT, over));
        rows.add(new Scenario(Victim.RANK_0_WITH_STORE, blow, Moment.SPLIT, over));
        rows.add(new Scenario(Victim.STORE_HOST, blow, Moment.IDLE, over));
        rows.add(new Scenario(Victim.MIDDLE, blow, Moment.IDLE, over));
      }
    }
    rows.add(new Scenario(Victim.ALL, Blow.STOP_AND_CONTINUE, Moment.SPLIT, Over.EMULATED));
  }

  @Test(timeOut = 1_800_000)
  public void shouldTellAllThatLiveInTimeWhatHappenedAndGoOn() throws Exception {
    play(table().stream().filter(row -> row.over() != Over.ONE_CCL).toList());
  }

  @Test(timeOut = 600_000)
  public void shouldDoSoOverARealLibrary() throws Exception {
    if (Vendors.named("intel").availability() instanceof Availability.Missing missing) {
      throw new SkipException(missing.cause() + "; " + missing.fix());
    }
    play(table().stream().filter(row -> row.over() == Over.ONE_CCL).toList());
  }

  private static void play(List<Scenario> rows) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
    try {
      List<Future<ScenarioOutcome>> playing =
          rows.stream().map(row -> threads.submit(() -> ScenarioOutcome.of(row))).toList();
      List<String> wrong = new ArrayList<>();
      for (int row = 0; row < rows.size(); row++) {
        ScenarioOutcome outcome = playing.get(row).get();
        System.out.printf(Locale.ROOT, "%-60s %s%n", rows.get(row), outcome.latenciesMs());
        outcome.wrong().ifPresent(wrong::add);
        outcome.wrong().ifPresent(System.out::println);
      }
      assertEquals(wrong, List.of());
    } finally {
      threads.shutdownNow();
    }
  }
}
