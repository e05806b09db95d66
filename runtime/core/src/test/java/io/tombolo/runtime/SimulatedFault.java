// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What goes wrong in a simulated job.
 *
 * @param kind what
 * @param victim the rank that does it, or that it is done to
 * @param phase when that rank begins this part of its program
 * @param delaySteps and so many steps of the simulation later
 */
record SimulatedFault(Kind kind, int victim, SimulatedRank.Phase phase, int delaySteps) {
  /** What can go wrong. */
  enum Kind {
    NONE,
    /** The network of the victim becomes slow; nothing may fail. */
    SLOW,
    /** The victim is killed. */
    KILL,
    /** The victim is stopped by a signal. */
    STOP,
    /** The victim's cable is pulled out. */
    CUT,
    /** The process that hosts the store is killed. */
    LOSE_STORE,
    /** The cable of the process that hosts the store is pulled out. */
    CUT_STORE,
    /** Nothing that the victim and the store send each other arrives any more. */
    CUT_OFF_STORE,
    /** The victim's call is of another length than the others'. */
    MISMATCH,
    /** The victim aborts. */
    ABORT,
    /** All abort. */
    ABORT_STORM
  }

  /** Those that a rank comes to only once its communicator has failed. */
  private static final List<SimulatedRank.Phase> AFTERWARDS =
      List.of(SimulatedRank.Phase.SHRINK, SimulatedRank.Phase.SUM_OF_REST);

  private static final List<SimulatedRank.Phase> BEFORE =
      Stream.of(SimulatedRank.Phase.values()).filter(each -> !AFTERWARDS.contains(each)).toList();
  private static final List<SimulatedRank.Phase> CALLS =
      List.of(
          SimulatedRank.Phase.SUM,
          SimulatedRank.Phase.BLOCKING_SUM,
          SimulatedRank.Phase.SUM_OF_HALF,
          SimulatedRank.Phase.LAST_SUM);
  private static final List<SimulatedRank.Phase> CALLS_AFTERWARDS =
      List.of(SimulatedRank.Phase.SUM_OF_REST);

  private static final int MAX_DELAY_BITS = 12;

  static SimulatedFault drawn(Random random, int size) {
    return drawn(random, size, BEFORE, CALLS);
  }

  /** One that meets those who go on without whom another has met. */
  static SimulatedFault drawnAfterwards(Random random, int size) {
    return drawn(random, size, AFTERWARDS, CALLS_AFTERWARDS);
  }

  private static SimulatedFault drawn(
      Random random, int size, List<SimulatedRank.Phase> all, List<SimulatedRank.Phase> calls) {
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    List<SimulatedRank.Phase> phases = kind == Kind.MISMATCH ? calls : all;
    SimulatedRank.Phase phase = phases.get(random.nextInt(phases.size()));
    int delaySteps =
        kind == Kind.MISMATCH ? 0 : random.nextInt(1 << random.nextInt(MAX_DELAY_BITS));
    return new SimulatedFault(kind, random.nextInt(size), phase, delaySteps);
  }

  /** Whether anything may fail. */
  boolean isHarmless() {
    return kind == Kind.NONE || kind == Kind.SLOW;
  }

  /** Whether it ends the communicator of a half of the ranks, and nothing else. */
  boolean endsHalf() {
    return kind == Kind.MISMATCH && phase == SimulatedRank.Phase.SUM_OF_HALF;
  }

  /** Whether the call of {@code rank} there is of another length than the others'. */
  boolean makesDiffer(int rank, SimulatedRank.Phase call) {
    return kind == Kind.MISMATCH && rank == victim && call == phase;
  }

  /** Whether the victim's program never ends. */
  boolean ends(int rank) {
    return rank == victim && (kind == Kind.KILL || kind == Kind.STOP);
  }

  /** Whether the victim does nothing any more that others see. */
  boolean silences() {
    return kind == Kind.KILL || kind == Kind.STOP || kind == Kind.CUT;
  }

  @Override
  public String toString() {
    return "%s of rank %s, %s steps after it began %s".formatted(kind, victim, delaySteps, phase);
  }
}
