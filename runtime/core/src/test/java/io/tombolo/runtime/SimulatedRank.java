// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.work.CallOptions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** A rank of a simulated job: it joins, calls, splits, calls there and again here, and leaves. */
final class SimulatedRank {
  /** The parts of its program. In all but those that say so, a rank needs all others. */
  enum Phase {
    JOIN,
    SUM,
    BLOCKING_SUM,
    BARRIER,
    /** Goes on without those who are gone. */
    AGREE,
    SPLIT,
    /** Needs those of its half. */
    SUM_OF_HALF,
    CLOSE_HALF,
    LAST_SUM,
    CLOSE,
    /** After a failure: goes on without those who are gone. */
    SHRINK,
    /** Needs those who go on. */
    SUM_OF_REST
  }

  /** Longer than any call may take: a call ends before who waits for it gives up. */
  private static final Duration LONG = SimulatedJob.TIMEOUT.multipliedBy(2);

  static final Duration AGREEING = Duration.ofSeconds(10);

  private final JobEnvironment environment;
  private final CallOptions options;
  private final ToIntFunction<Phase> count;
  private final Consumer<Phase> onBegin;
  private final boolean survives;
  private final Map<Phase, Long> begunNs = new EnumMap<>(Phase.class);
  private final Map<Phase, Long> endedNs = new EnumMap<>(Phase.class);
  private Optional<Communicator> joined = Optional.empty();
  private Optional<RuntimeException> error = Optional.empty();
  private Optional<MismatchException> halfError = Optional.empty();
  private Optional<RuntimeException> errorAfterwards = Optional.empty();
  private Optional<Agreed> agreed = Optional.empty();
  private OptionalInt nextSize = OptionalInt.empty();
  private long failedNs;
  private int aborting;
  private long abortNs;
  private boolean over;

  /**
   * @param count how many elements its call of a phase has
   * @param onBegin is told what it begins
   * @param survives whether it goes on with who is left when its communicator has failed
   */
  SimulatedRank(
      JobEnvironment environment,
      CallOptions options,
      ToIntFunction<Phase> count,
      Consumer<Phase> onBegin,
      boolean survives) {
    this.survives = survives;
    this.environment = environment;
    this.options = options;
    this.count = count;
    this.onBegin = onBegin;
  }

  /** What it does; on a thread of its process. */
  void run() {
    begin(Phase.JOIN);
    try (Communicator communicator = Communicator.join(environment)) {
      joined = Optional.of(communicator);
      end(Phase.JOIN);
      workAndSurvive(communicator);
      begin(Phase.CLOSE);
    } catch (RuntimeException e) {
      failed(e);
    }
    end(Phase.CLOSE);
    over = true;
  }

  private void failed(RuntimeException e) {
    if (error.isEmpty()) {
      failedNs = System.nanoTime();
      error = Optional.of(e);
    }
  }

  private void workAndSurvive(Communicator communicator) {
    try {
      work(communicator);
    } catch (TomboloException e) {
      if (!survives || communicator.failure().isEmpty()) {
        throw e;
      }
      failed(e);
      goOn(communicator);
    }
  }

  /** With those who come, if they are enough. */
  private void goOn(Communicator failed) {
    begin(Phase.SHRINK);
    try (Communicator next = failed.shrink(AGREEING)) {
      joined = Optional.of(next);
      nextSize = OptionalInt.of(next.size());
      end(Phase.SHRINK);
      in(Phase.SUM_OF_REST, phase -> sum(phase, next, options));
    } catch (RuntimeException e) {
      errorAfterwards = Optional.of(e);
    }
  }

  private void work(Communicator communicator) {
    in(Phase.SUM, phase -> sum(phase, communicator, CallOptions.STANDARD));
    in(Phase.BLOCKING_SUM, phase -> sum(phase, communicator, CallOptions.BLOCKING));
    in(Phase.BARRIER, phase -> barrier(communicator));
    in(
        Phase.AGREE,
        phase ->
            agreed =
                Optional.of(communicator.agree(flagsOf(List.of(communicator.rank())), AGREEING)));
    begin(Phase.SPLIT);
    try (Communicator half = communicator.split(communicator.rank() % 2, 0).orElseThrow()) {
      end(Phase.SPLIT);
      in(Phase.SUM_OF_HALF, phase -> sum(phase, half, options));
      begin(Phase.CLOSE_HALF);
    } catch (MismatchException e) { // ends the half alone
      halfError = Optional.of(e);
    }
    end(Phase.CLOSE_HALF);
    in(Phase.LAST_SUM, phase -> sum(phase, communicator, options));
  }

  /** What {@code ranks} agree on: each takes its own bit away. */
  static long flagsOf(List<Integer> ranks) {
    return ~ranks.stream().mapToLong(rank -> 1L << rank).sum();
  }

  private void in(Phase phase, Consumer<Phase> part) {
    begin(phase);
    part.accept(phase);
    end(phase);
  }

  private void begin(Phase phase) {
    begunNs.put(phase, System.nanoTime());
    onBegin.accept(phase);
  }

  private void end(Phase phase) {
    endedNs.put(phase, System.nanoTime());
  }

  private static void barrier(Communicator communicator) {
    try (Stream stream = communicator.device().newStream()) {
      communicator.barrier(stream).await(LONG);
    }
  }

  private void sum(Phase phase, Communicator communicator, CallOptions how) {
    try (Stream stream = communicator.device().newStream()) {
      SimulatedSum sum = new SimulatedSum(communicator, stream, count.applyAsInt(phase));
      sum.call(how).await(LONG);
      sum.check();
      sum.close();
    }
  }

  /** It is to abort, by a thread that will have its turn. */
  void willAbort() {
    aborting++;
  }

  /**
   * Aborts its communicator, on a thread of its process; nothing if it is in none, or has left it.
   */
  void abort() {
    long fromNs = System.nanoTime();
    try {
      joined.ifPresent(Communicator::abort);
    } catch (UsageException leftIt) {
      // which is what was wanted
    }
    aborting--;
    abortNs = Math.max(abortNs, System.nanoTime() - fromNs);
  }

  /** Whether an abort has not come back yet. */
  boolean isAborting() {
    return aborting > 0;
  }

  /** How long its slowest abort took, in the world's time. */
  long abortNs() {
    return abortNs;
  }

  int rank() {
    return environment.rank();
  }

  boolean isOver() {
    return over;
  }

  /** What its program ended with, if not well. */
  Optional<RuntimeException> error() {
    return error;
  }

  /** What its half ended with, if its calls differed. */
  Optional<MismatchException> halfError() {
    return halfError;
  }

  /** When it failed, in the world's time. */
  long failedNs() {
    return failedNs;
  }

  /** With how many it went on after that. */
  OptionalInt nextSize() {
    return nextSize;
  }

  /** What it met when it went on, or was to, if not a right result. */
  Optional<RuntimeException> errorAfterwards() {
    return errorAfterwards;
  }

  /** What it has agreed on with the others. */
  Optional<Agreed> agreed() {
    return agreed;
  }

  /** When it began {@code phase}, which it has, in the world's time. */
  long begunNs(Phase phase) {
    return begunNs.get(phase);
  }

  boolean hasEndedBy(Phase phase, long ns) {
    return endedNs.getOrDefault(phase, Long.MAX_VALUE) <= ns;
  }

  boolean hasBegun(Phase phase) {
    return begunNs.containsKey(phase);
  }

  boolean hasEnded(Phase phase) {
    return endedNs.containsKey(phase);
  }

  @Override
  public String toString() {
    return "rank %s, %s, after %s: %s"
            .formatted(
                rank(),
                over ? "over" : "not over",
                endedNs.keySet(),
                error.map(RuntimeException::toString).orElse("no error"))
        + (nextSize.isPresent() ? "; goes on as one of " + nextSize.getAsInt() : "")
        + errorAfterwards.map(e -> "; then " + e).orElse("");
  }
}
