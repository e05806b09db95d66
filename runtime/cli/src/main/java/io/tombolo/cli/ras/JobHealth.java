// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import io.tombolo.cli.ras.RankHealth.Condition;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.Pulse;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.RunningJob;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How a job is, from two looks at it, as JSON has it: the names of its members stay. Pure.
 *
 * @param isWell whether it has not failed, and nothing is wrong with any rank
 * @param lookedMs how long after the first look the second was
 * @param findings what matters, in words, the most important first
 * @param ranks all ranks, those first that are worth a look
 */
record JobHealth(
    boolean isWell,
    long lookedMs,
    ImmutableList<String> findings,
    ImmutableList<RankHealth> ranks) {
  /** So many ranks are named in one finding. */
  private static final int MAX_NAMED = 8;

  private static final Comparator<RankHealth> WORST_FIRST =
      Comparator.comparing(RankHealth::condition)
          .thenComparing(RankHealth::calls)
          .thenComparing(RankHealth::rank);

  /** From {@code before}, and {@code after}, which was seen {@code between} later. */
  static JobHealth of(RunningJob before, RunningJob after, Duration between) {
    ImmutableList<RankHealth> ranks =
        IntStream.range(0, after.ranks().size())
            .mapToObj(rank -> rank(rank, before, after, between))
            .sorted(WORST_FIRST)
            .collect(ImmutableList.toImmutableList());
    boolean isWell =
        after.failure().isEmpty() && ranks.stream().noneMatch(each -> each.condition().isBad());
    ImmutableList<String> findings =
        Stream.of(
                after.failure().map(text -> "the job has failed: " + text).stream(),
                bad(ranks),
                joining(ranks),
                calls(ranks, between))
            .flatMap(each -> each)
            .collect(ImmutableList.toImmutableList());
    return new JobHealth(isWell, between.toMillis(), findings, ranks);
  }

  private static RankHealth rank(int rank, RunningJob before, RunningJob after, Duration between) {
    RankDescriptor descriptor = after.ranks().get(rank);
    Pulse then = before.pulses().get(rank);
    Pulse now = after.pulses().get(rank);
    Presence presence = after.presences().get(rank);
    if (now == null) {
      return new RankHealth(
          rank,
          descriptor.vendor(),
          descriptor.device(),
          presence == null ? "" : presence.hostName(),
          "pid " + descriptor.pid() + " on host " + descriptor.hostId(),
          presence == null ? Condition.JOINING : Condition.UNWATCHED,
          0,
          0);
    }
    Condition seen = condition(then, now, between);
    return new RankHealth(
        rank,
        descriptor.vendor(),
        descriptor.device(),
        now.host(),
        now.process(),
        presence == null && !seen.isBad() ? Condition.JOINING : seen,
        now.calls(),
        now.calls() - (then == null ? 0 : then.calls()));
  }

  /**
   * How a rank is that beats from when it begins to join; {@code then} is null where it had not
   * come yet. One whose process is seen to be there may be slow, and is not silent.
   */
  private static Condition condition(Pulse then, Pulse now, Duration between) {
    return switch (now.state()) {
      case ENDED -> Condition.ENDED;
      case STOPPED -> Condition.STOPPED;
      case LIVES -> Condition.ALIVE;
      case ELSEWHERE -> {
        if (now.periodMs() == 0) {
          yield Condition.UNWATCHED;
        }
        boolean isSilent =
            then != null && then.beats() == now.beats() && between.toMillis() > now.periodMs();
        yield isSilent ? Condition.SILENT : Condition.ALIVE;
      }
    };
  }

  private static Stream<String> bad(List<RankHealth> ranks) {
    List<RankHealth> bad = ranks.stream().filter(each -> each.condition().isBad()).toList();
    Stream<String> named =
        bad.stream().limit(MAX_NAMED).map(each -> each.label() + ": " + each.condition().words());
    return bad.size() <= MAX_NAMED
        ? named
        : Stream.concat(named, Stream.of((bad.size() - MAX_NAMED) + " more ranks are like that"));
  }

  private static Stream<String> joining(List<RankHealth> ranks) {
    List<Integer> joining = of(ranks, each -> each.condition() == Condition.JOINING);
    return joining.isEmpty()
        ? Stream.empty()
        : Stream.of(
            "still joining: "
                + joining.size()
                + " of "
                + ranks.size()
                + " ranks, "
                + named(joining));
  }

  /** A job that stands still does so for those who have made the fewest calls. */
  private static Stream<String> calls(List<RankHealth> ranks, Duration between) {
    List<RankHealth> counted =
        ranks.stream().filter(each -> each.condition().compareTo(Condition.JOINING) != 0).toList();
    if (counted.isEmpty()) {
      return Stream.empty();
    }
    LongSummaryStatistics calls = counted.stream().mapToLong(RankHealth::calls).summaryStatistics();
    long made = counted.stream().mapToLong(RankHealth::newCalls).sum();
    if (made > 0) {
      double perSecond = 1000.0 * made / counted.size() / Math.max(1, between.toMillis());
      return Stream.of(
          String.format(Locale.ROOT, "each rank makes %.0f calls a second", perSecond));
    }
    String still = "no rank has made a call for " + between.toMillis() + " ms: ";
    if (calls.getMin() == calls.getMax()) {
      return Stream.of(still + "each has made " + calls.getMax());
    }
    List<Integer> behind = of(counted, each -> each.calls() == calls.getMin());
    return Stream.of(
        still
            + named(behind)
            + " made "
            + calls.getMin()
            + ", others up to "
            + calls.getMax()
            + "; see what the former wait for, for example with jstack or gdb");
  }

  private static List<Integer> of(List<RankHealth> ranks, Predicate<RankHealth> wanted) {
    return ranks.stream().filter(wanted).map(RankHealth::rank).sorted().toList();
  }

  private static String named(List<Integer> ranks) {
    List<Integer> some = ranks.subList(0, Math.min(MAX_NAMED, ranks.size()));
    String text = (ranks.size() == 1 ? "rank " : "ranks ") + Joiner.on(", ").join(some);
    return some.size() < ranks.size() ? text + " …" : text;
  }
}
