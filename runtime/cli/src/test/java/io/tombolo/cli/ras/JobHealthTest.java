// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Capabilities;
import io.tombolo.cli.ras.RankHealth.Condition;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.Pulse;
import io.tombolo.runtime.bootstrap.Pulse.State;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.topology.machine.CpuSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

/** What two looks at a job mean. */
public class JobHealthTest {
  private static final Duration BETWEEN = Duration.ofMillis(2500);
  private static final int PERIOD_MS = 2000;

  @Test
  public void shouldFindAJobWellThatMakesCalls() {
    JobHealth health = of(job(lives(1, 10), lives(1, 11)), job(lives(2, 60), lives(2, 61)));
    assertTrue(health.isWell());
    assertEquals(health.findings(), List.of("each rank makes 20 calls a second"));
    assertEquals(health.ranks().stream().map(RankHealth::newCalls).toList(), List.of(50L, 50L));
  }

  @Test
  public void shouldNameWhoHoldsUpTheOthers() {
    JobHealth health =
        of(
            job(lives(1, 101), lives(4, 100), lives(2, 101)),
            job(lives(2, 101), lives(5, 100), lives(3, 101)));
    assertTrue(health.isWell());
    assertEquals(health.ranks().get(0).rank(), 1);
    assertEquals(
        health.findings(),
        List.of(
            "no rank has made a call for 2500 ms: rank 1 made 100, others up to 101; see what the former wait for, for example with jstack or gdb"));
  }

  @Test
  public void shouldTakeAJobThatComputesForWell() {
    JobHealth health = of(job(lives(1, 5), lives(1, 5)), job(lives(2, 5), lives(2, 5)));
    assertTrue(health.isWell());
    assertEquals(
        health.findings(), List.of("no rank has made a call for 2500 ms: each has made 5"));
  }

  @Test
  public void shouldPutTheWorstFirst() {
    JobHealth health =
        of(
            job(lives(1, 5), lives(1, 5), lives(1, 5), lives(1, 5), lives(1, 5)),
            job(
                lives(2, 9),
                pulse(1, 5, State.STOPPED),
                pulse(1, 5, State.ELSEWHERE),
                pulse(1, 5, State.ENDED),
                pulse(2, 9, State.ELSEWHERE)));
    assertFalse(health.isWell());
    assertEquals(
        health.ranks().stream().map(RankHealth::condition).toList(),
        List.of(
            Condition.ENDED,
            Condition.STOPPED,
            Condition.SILENT,
            Condition.ALIVE,
            Condition.ALIVE));
    assertEquals(
        health.findings().get(0),
        "rank 3 (emu-amd, pid 1 on host h, called n0): its process has ended");
  }

  /** Two looks in one period can show the same beat. */
  @Test
  public void shouldNotTakeARankForSilentThatHadNoTimeToBeat() {
    RunningJob job = job(lives(1, 5), pulse(1, 5, State.ELSEWHERE));
    assertTrue(JobHealth.of(job, job, Duration.ofMillis(PERIOD_MS)).isWell());
    assertFalse(JobHealth.of(job, job, BETWEEN).isWell());
  }

  @Test
  public void shouldNotTakeARankForSilentWhoseProcessIsThere() {
    RunningJob job = job(lives(1, 5), lives(1, 5));
    assertTrue(of(job, job).isWell());
  }

  @Test
  public void shouldTellWhoHasNotJoinedAndWhoDoesNotBeat() {
    Pulse none = new Pulse("pid 1 on host h", "n0", 1, 0, 3, State.ELSEWHERE);
    RunningJob job = job(Optional.empty(), Optional.of(none));
    JobHealth health = of(job, job);
    assertTrue(health.isWell());
    assertEquals(
        health.ranks().stream().map(RankHealth::condition).toList(),
        List.of(Condition.JOINING, Condition.UNWATCHED));
    assertEquals(health.findings().get(0), "still joining: 1 of 2 ranks, rank 0");
  }

  /** It beats before it is in. */
  @Test
  public void shouldTellThatARankJoinsAndWhetherItIsStopped() {
    RunningJob all = job(lives(1, 0), pulse(1, 0, State.STOPPED));
    RunningJob joining =
        new RunningJob(all.ranks(), ImmutableSortedMap.of(), all.pulses(), Optional.empty());
    assertEquals(
        of(joining, joining).ranks().stream().map(RankHealth::condition).toList(),
        List.of(Condition.STOPPED, Condition.JOINING));
  }

  @Test
  public void shouldSayFirstThatTheJobHasFailed() {
    RunningJob before = job(lives(1, 5));
    RunningJob after =
        new RunningJob(
            before.ranks(), before.presences(), before.pulses(), Optional.of("rank 2 died"));
    JobHealth health = of(before, after);
    assertFalse(health.isWell());
    assertEquals(health.findings().get(0), "the job has failed: rank 2 died");
  }

  @Test
  public void shouldNameOnlySomeOfVeryMany() {
    JobHealth health =
        of(
            job(IntStream.range(0, 20).mapToObj(rank -> lives(1, 5)).toList()),
            job(IntStream.range(0, 20).mapToObj(rank -> pulse(1, 5, State.ENDED)).toList()));
    assertEquals(health.findings().size(), 8 + 2);
    assertEquals(health.findings().get(8), "12 more ranks are like that");
  }

  private static JobHealth of(RunningJob before, RunningJob after) {
    return JobHealth.of(before, after, BETWEEN);
  }

  private static Optional<Pulse> lives(long beats, long calls) {
    return pulse(beats, calls, State.LIVES);
  }

  private static Optional<Pulse> pulse(long beats, long calls, State state) {
    return Optional.of(new Pulse("pid 1 on host h", "n0", beats, PERIOD_MS, calls, state));
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // which are only read
  private static RunningJob job(Optional<Pulse>... pulses) {
    return job(ImmutableList.copyOf(pulses));
  }

  /** Who has no pulse has not joined. */
  private static RunningJob job(List<Optional<Pulse>> pulses) {
    ImmutableList.Builder<RankDescriptor> ranks = ImmutableList.builder();
    ImmutableSortedMap.Builder<Integer, Presence> presences = ImmutableSortedMap.naturalOrder();
    ImmutableSortedMap.Builder<Integer, Pulse> known = ImmutableSortedMap.naturalOrder();
    for (int rank = 0; rank < pulses.size(); rank++) {
      ranks.add(descriptor(rank));
      if (pulses.get(rank).isPresent()) {
        presences.put(rank, new Presence("n0", ImmutableSortedMap.of(), Optional.empty()));
        known.put(rank, pulses.get(rank).get());
      }
    }
    return new RunningJob(
        ranks.build(), presences.buildOrThrow(), known.buildOrThrow(), Optional.empty());
  }

  private static RankDescriptor descriptor(int rank) {
    return new RankDescriptor(
        1,
        1,
        "0.1.0",
        rank,
        "emu-amd",
        "device",
        "",
        "h",
        1,
        CpuSet.ofList(""),
        Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of()),
        ImmutableMap.of(),
        ImmutableList.of(),
        ImmutableSortedMap.of());
  }
}
