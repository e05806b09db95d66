// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.base.Splitter;
import com.google.common.base.Throwables;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.Scenario.Blow;
import io.tombolo.runtime.Scenario.Moment;
import io.tombolo.runtime.Scenario.Victim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * What became of a {@link Scenario}.
 *
 * @param latenciesMs after how many milliseconds each survivor knew, by rank
 * @param wrong what was not as it should be, if something was
 */
record ScenarioOutcome(Map<Integer, Long> latenciesMs, Optional<String> wrong) {
  /** Nobody may be silent longer. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  /** If one is killed: what tells of it at once must not lean on beats, which tell later. */
  private static final Duration SILENCE_OF_KILLED = Duration.ofMinutes(10);

  /** All know of it so much later, on a machine on which processes need not wait to run. */
  private static final Duration SLACK = Duration.ofSeconds(5);

  private static final Duration LONG = Duration.ofMinutes(2);

  /** Plays {@code scenario}. */
  static ScenarioOutcome of(Scenario scenario) throws InterruptedException {
    Map<Integer, Long> latenciesMs = new TreeMap<>();
    Duration silence = scenario.blow() == Blow.KILL ? SILENCE_OF_KILLED : SILENCE;
    try (ScenarioJob job = new ScenarioJob(scenario, silence)) {
      job.begin();
      play(scenario, job, latenciesMs);
      return new ScenarioOutcome(latenciesMs, Optional.empty());
    } catch (IOException | AssertionError | RuntimeException e) {
      String why = scenario + ": " + Throwables.getStackTraceAsString(e);
      return new ScenarioOutcome(latenciesMs, Optional.of(why));
    }
  }

  private static void play(Scenario scenario, ScenarioJob job, Map<Integer, Long> latenciesMs)
      throws IOException, InterruptedException {
    ScenarioProcess victim = job.victim();
    long atNs = job.strike();
    switch (scenario.moment()) {
      case SHRINK -> awaitShrunk(scenario, job);
      case AGREED -> awaitGivenUp(scenario, job, atNs, latenciesMs);
      case BEFORE_JOIN, JOIN -> awaitTold(scenario, job, victim, atNs, latenciesMs);
      case IDLE, COLLECTIVE, SPLIT, HALVES -> {
        if (scenario.blow() != Blow.STOP_AND_CONTINUE) {
          awaitTold(scenario, job, victim, atNs, latenciesMs);
        }
        job.goOn();
        Map<Integer, ScenarioProcess> survivors = job.survivors();
        for (ScenarioProcess survivor : survivors.values()) {
          survivor.await(ScenarioRank.GOES_ON + survivors.size(), Deadline.after(LONG));
        }
      }
    }
  }

  /** A second one has died while they were about to go on: they do so, or say whose fault it is. */
  private static void awaitShrunk(Scenario scenario, ScenarioJob job) throws InterruptedException {
    for (ScenarioProcess survivor : job.survivors().values()) {
      String end =
          survivor
              .awaitAny(Set.of(ScenarioRank.GOES_ON, ScenarioRank.GIVES_UP), Deadline.after(LONG))
              .text();
      check(end.startsWith(ScenarioRank.GOES_ON) || end.contains(scenario.named()), end);
    }
  }

  /** One that was to go on with them does not come: they know soon. */
  private static void awaitGivenUp(
      Scenario scenario, ScenarioJob job, long atNs, Map<Integer, Long> latenciesMs)
      throws InterruptedException {
    for (Map.Entry<Integer, ScenarioProcess> survivor : job.survivors().entrySet()) {
      ScenarioProcess.Line line =
          survivor.getValue().await(ScenarioRank.GIVES_UP, Deadline.after(LONG));
      latenciesMs.put(survivor.getKey(), TimeUnit.NANOSECONDS.toMillis(line.atNs() - atNs));
      check(line.text().contains(scenario.named() + " (pid "), line.text());
    }
    checkSoon(SILENCE.multipliedBy(4), latenciesMs); // steps of agreeing may wait for a stopped one
  }

  private static void awaitTold(
      Scenario scenario,
      ScenarioJob job,
      ScenarioProcess victim,
      long atNs,
      Map<Integer, Long> latenciesMs)
      throws InterruptedException {
    Set<String> causes = new TreeSet<>();
    for (Map.Entry<Integer, ScenarioProcess> survivor : job.survivors().entrySet()) {
      ScenarioProcess.Line line =
          survivor.getValue().await(ScenarioRank.TOLD, Deadline.after(LONG));
      latenciesMs.put(survivor.getKey(), TimeUnit.NANOSECONDS.toMillis(line.atNs() - atNs));
      check(line.text().contains(scenario.named()), line.text());
      check(
          scenario.blow() != Blow.STOP
              || scenario.moment() == Moment.BEFORE_JOIN // nobody knows its process
              || scenario.victim() == Victim.STORE_HOST
              || (line.text().contains("pid " + victim.pid())
                  && line.text().contains("is stopped by a signal")),
          line.text());
      check(
          scenario.blow() != Blow.KILL
              || !isFirstHand(scenario)
              || (line.text().contains("(pid " + victim.pid() + " on host ")
                  && line.text().contains("its process has ended; the last it said was ")),
          line.text());
      causes.add(causeOf(line.text()));
    }
    if (scenario.blow().spares()) {
      String told = victim.await(ScenarioRank.TOLD, Deadline.after(LONG)).text();
      check(told.contains("the store at 127.0.0.1:"), told);
    }
    latenciesMs.remove(scenario.late()); // its start counts, too
    check(!isFirstHand(scenario) || causes.size() == 1, causes.toString());
    Duration limit = scenario.moment() == Moment.BEFORE_JOIN ? job.joinLimit() : Duration.ZERO;
    checkSoon(limit, latenciesMs);
  }

  private static void checkSoon(Duration limit, Map<Integer, Long> latenciesMs) {
    long boundMs = limit.plus(SILENCE.plus(SLACK).multipliedBy(crowd())).toMillis();
    check(
        latenciesMs.values().stream().allMatch(ms -> ms <= boundMs),
        "more than " + boundMs + " ms: " + latenciesMs);
  }

  /** Whether what is told is what happened to the process itself, and not what followed. */
  private static boolean isFirstHand(Scenario scenario) {
    return scenario.moment() != Moment.JOIN
        && scenario.moment() != Moment.BEFORE_JOIN
        && !scenario.blow().spares()
        && scenario.victim() != Victim.STORE_HOST;
  }

  /** Without what the victim said last: not all have looked at the same beat. */
  private static String causeOf(String told) {
    return told.substring(ScenarioRank.TOLD.length())
        .replaceFirst("^rank \\d+ stops: ", "")
        .replaceFirst("; the last it said was .*", "");
  }

  /** How many processes share a processor; 1, if they need not. */
  static long crowd() {
    try {
      double load =
          Double.parseDouble(
              Splitter.on(' ').splitToList(Files.readString(Path.of("/proc/loadavg"))).get(0));
      return Math.max(1, Math.round(load / Runtime.getRuntime().availableProcessors()));
    } catch (IOException e) {
      throw new IllegalStateException("cannot read /proc/loadavg", e);
    }
  }

  private static void check(boolean isRight, String found) {
    if (!isRight) {
      throw new AssertionError(found);
    }
  }
}
