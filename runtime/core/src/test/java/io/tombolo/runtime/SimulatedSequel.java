// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.SimulatedRank.Phase;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Whether those ranks of a simulated job that outlived a failure went on as they must, although
 * they may have met a second fault.
 */
final class SimulatedSequel {
  /** Agree, and find out that nobody else comes; then meet; and all the rest. */
  private static final long LONGEST_NS =
      2 * SimulatedRank.AGREEING.toNanos()
          + SimulatedJob.TIMEOUT.toNanos()
          + SimulatedVerdict.MORE_NS;

  private final SimulatedStrike first;
  private final SimulatedStrike second;
  private final List<SimulatedRank> ranks;

  /** Those who came to go on, and that others see. */
  private final List<SimulatedRank> able;

  SimulatedSequel(SimulatedStrike first, SimulatedStrike second, List<SimulatedRank> ranks) {
    this.first = first;
    this.second = second;
    this.ranks = ranks;
    this.able =
        ranks.stream()
            .filter(each -> each.hasBegun(Phase.SHRINK))
            .filter(each -> !first.hasSilenced(each) && !second.hasSilenced(each))
            .toList();
  }

  void check() {
    ranks.forEach(this::checkEnd);
    checkMembers();
    if (cameTogether()) {
      able.forEach(second.harms() ? this::checkHarmed : this::checkUnharmed);
    }
  }

  private void checkEnd(SimulatedRank rank) {
    rank.errorAfterwards()
        .filter(e -> !(e instanceof TomboloException))
        .ifPresent(
            e -> {
              throw new AssertionError(rank + " went on to what no user can understand", e);
            });
    if (able.contains(rank)) {
      long lastNs = Math.max(able.stream().mapToLong(this::begunNs).max().orElse(0), second.atNs());
      require(rank.hasEndedBy(Phase.CLOSE, lastNs + LONGEST_NS), rank + " took too long to go on");
    }
  }

  /** They are the majority, and as many as they say, unless one of them is gone since. */
  private void checkMembers() {
    List<SimulatedRank> together =
        ranks.stream().filter(each -> each.nextSize().isPresent()).toList();
    for (SimulatedRank each : together) {
      int size = each.nextSize().getAsInt();
      require(size == together.get(0).nextSize().getAsInt(), each + " goes on with others");
      require(
          second.harms() ? size >= together.size() : size == together.size(),
          each + " goes on, but not with " + together.size());
      require(isMajority(size), each + " goes on with too few");
    }
  }

  /** Whether none of them had waited for another for so long that it may have given up. */
  private boolean cameTogether() {
    long spreadNs =
        able.stream().mapToLong(this::begunNs).max().orElse(0)
            - able.stream().mapToLong(this::begunNs).min().orElse(0);
    return spreadNs < SimulatedRank.AGREEING.toNanos() / 2;
  }

  private long begunNs(SimulatedRank rank) {
    return rank.begunNs(Phase.SHRINK);
  }

  private boolean isMajority(int size) {
    return 2 * size > ranks.size();
  }

  private void checkUnharmed(SimulatedRank rank) {
    if (isMajority(able.size())) {
      require(rank.hasEnded(Phase.SUM_OF_REST), rank + " does not go on, though enough could");
    } else {
      require(saysTooFew(rank), rank + " does not say that they are too few");
    }
  }

  private void checkHarmed(SimulatedRank rank) {
    require(
        !(isMajority(able.size()) && saysTooFew(rank)), rank + " says too few, though enough came");
    if (second.fault().kind() == SimulatedFault.Kind.MISMATCH) {
      require(
          rank.errorAfterwards().filter(MismatchException.class::isInstance).isPresent(),
          rank + " does not hear of the mismatch");
    }
  }

  private static boolean saysTooFew(SimulatedRank rank) {
    return rank.errorAfterwards().filter(NoQuorumException.class::isInstance).isPresent();
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(
          what
              + ranks.stream()
                  .map(String::valueOf)
                  .collect(Collectors.joining("\n", "\n" + first + "\n" + second + "\n", "")));
    }
  }
}
