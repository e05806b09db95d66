// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.SimulatedRank.Phase;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Whether the ranks of a simulated job did what they must, whatever went wrong. */
final class SimulatedVerdict {
  private static final Set<Phase> TOGETHER =
      EnumSet.of(
          Phase.JOIN, Phase.SUM, Phase.BLOCKING_SUM, Phase.BARRIER, Phase.SPLIT, Phase.LAST_SUM);

  /** What the promise of the set time leaves for all the rest. */
  static final long MORE_NS = 5_000_000_000L;

  private final SimulatedFault fault;
  private final long faultNs;
  private final SimulatedStrike second;
  private final List<SimulatedRank> ranks;
  private final List<SimulatedRank> survivors;

  /**
   * @param second what those meet who go on
   */
  SimulatedVerdict(SimulatedStrike first, SimulatedStrike second, List<SimulatedRank> ranks) {
    this.fault = first.fault();
    this.faultNs = first.atNs();
    this.second = second;
    this.ranks = ranks;
    this.survivors =
        ranks.stream()
            .filter(each -> !first.hasSilenced(each) && !second.hasSilenced(each))
            .toList();
  }

  void check() {
    survivors.forEach(this::checkEnd);
    survivors.forEach(this::checkAbort);
    ranks.forEach(this::checkCompany);
    checkAgreement();
    checkCause();
    checkAgreed();
    checkMismatch();
  }

  private void checkEnd(SimulatedRank rank) {
    require(rank.isOver(), rank + " has not ended");
    rank.error()
        .filter(e -> !(e instanceof TomboloException))
        .ifPresent(
            e -> {
              throw new AssertionError(rank + " ended by what no user can understand", e);
            });
    if (fault.isHarmless() || faultNs == 0) {
      require(rank.error().isEmpty(), rank + " failed, though nothing was wrong");
    }
    if (fault.endsHalf()) {
      require(rank.error().isEmpty(), rank + " failed, though only a half did");
      require(rank.hasEndedBy(Phase.CLOSE_HALF, faultNs + MORE_NS), rank + " took too long");
    }
    if (rank.error().isPresent()) {
      require(rank.failedNs() <= lastNs() + limitNs() + MORE_NS, rank + " took too long");
    }
  }

  /** Whoever aborts waits for the store, which may be silent, no longer than for anybody's life. */
  private void checkAbort(SimulatedRank rank) {
    require(!rank.isAborting(), rank + " has not come back from its abort");
    long limitNs = SimulatedJob.LIVENESS.toNanos() + MORE_NS;
    require(rank.abortNs() <= limitNs, rank + " was in its abort for " + rank.abortNs() + " ns");
  }

  /** Some may already go on, and meet a fault, when others have not heard of the first. */
  private long lastNs() {
    return Math.max(faultNs, second.atNs());
  }

  /** Within which time who lives hears of the fault. */
  private long limitNs() {
    boolean joining = ranks.stream().anyMatch(each -> !each.hasEndedBy(Phase.JOIN, faultNs));
    boolean agreeing = ranks.stream().anyMatch(this::agreesAfter);
    long setNs =
        Math.max(
            limitNs(fault, joining), second.hasHappened() ? limitNs(second.fault(), joining) : 0);
    return Math.max(agreeing ? 2 * SimulatedRank.AGREEING.toNanos() : 0, setNs);
  }

  /** Whether a rank may wait for those who do not come to agree. */
  private boolean agreesAfter(SimulatedRank rank) {
    return rank.hasBegun(Phase.AGREE) && !rank.hasEndedBy(Phase.AGREE, faultNs);
  }

  private static long limitNs(SimulatedFault fault, boolean joining) {
    return switch (fault.kind()) {
      case NONE, SLOW -> 0;
      case ABORT, ABORT_STORM, LOSE_STORE -> joining ? SimulatedJob.TIMEOUT.toNanos() : 0;
      case KILL, STOP, CUT, CUT_STORE, CUT_OFF_STORE ->
          (joining ? SimulatedJob.TIMEOUT : SimulatedJob.LIVENESS).toNanos();
      case MISMATCH -> 0;
    };
  }

  /** Nobody has ended what all are needed for, unless all began it. */
  private void checkCompany(SimulatedRank rank) {
    for (Phase phase : TOGETHER) {
      if (rank.hasEnded(phase)) {
        for (SimulatedRank other : ranks) {
          require(other.hasBegun(phase), rank + " has ended " + phase + " without " + other);
        }
      }
    }
  }

  /** If one fails in what all are in, nobody gets through what comes after it. */
  private void checkAgreement() {
    for (SimulatedRank failed : survivors) {
      if (failed.error().isPresent()) {
        for (SimulatedRank other : survivors) {
          require(
              other.error().isPresent() || other.hasEnded(Phase.LAST_SUM),
              failed + " and " + other + " do not see the same end");
        }
      }
    }
  }

  /** Whoever fails because one is gone says which one; of one that was killed, which process. */
  private void checkCause() {
    if (fault.silences() && faultNs > 0 && !second.hasHappened()) {
      boolean joined = ranks.stream().allMatch(each -> each.hasEndedBy(Phase.JOIN, faultNs));
      String process = fault.kind() == SimulatedFault.Kind.KILL && joined ? " \\(pid " : "\\b";
      Pattern victim = Pattern.compile("\\brank " + fault.victim() + process);
      for (SimulatedRank each : survivors) {
        boolean says =
            each.error()
                .filter(
                    e -> !(e instanceof NoQuorumException)) // so many are gone, whoever they are
                .map(e -> victim.matcher(e.getMessage()).find())
                .orElse(true);
        require(says, each + " does not say who is gone");
      }
    }
  }

  /** Whoever has agreed has got the same, and without a fault of all. */
  private void checkAgreed() {
    List<Agreed> agreed = ranks.stream().flatMap(each -> each.agreed().stream()).toList();
    require(agreed.stream().distinct().count() <= 1, "different agreements: " + agreed);
    for (Agreed each : agreed) {
      boolean whole = each.ranks().size() == ranks.size();
      require(whole || faultNs > 0, each + " is without " + (ranks.size() - each.ranks().size()));
      require(each.flags() == SimulatedRank.flagsOf(each.ranks()), each + " is of others");
    }
  }

  /** Whoever is in a call that differs hears what each side called. */
  private void checkMismatch() {
    boolean half = fault.endsHalf();
    List<SimulatedRank> together =
        ranks.stream().filter(each -> !half || (each.rank() - fault.victim()) % 2 == 0).toList();
    boolean alone = faultNs > 0 && !second.harms(); // else the other may be heard of before
    if (fault.kind() == SimulatedFault.Kind.MISMATCH && alone && together.size() > 1) {
      for (SimulatedRank each : together) {
        require(
            half
                ? each.halfError().isPresent()
                : each.error().filter(MismatchException.class::isInstance).isPresent(),
            each + " does not hear of the mismatch");
      }
    }
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(
          what
              + "\n"
              + fault
              + " at "
              + faultNs
              + "\n"
              + ranks.stream().map(String::valueOf).collect(Collectors.joining("\n")));
    }
  }
}
