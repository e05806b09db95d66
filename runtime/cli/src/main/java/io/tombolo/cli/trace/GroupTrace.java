// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimaps;
import com.google.common.collect.Multiset;
import com.google.common.collect.SetMultimap;
import io.tombolo.cli.trace.TraceSummary.GroupSummary;
import io.tombolo.cli.trace.TraceSummary.Lateness;
import io.tombolo.cli.trace.TraceSummary.Mismatch;
import io.tombolo.cli.trace.TraceSummary.Missing;
import io.tombolo.cli.trace.TraceSummary.Side;
import io.tombolo.runtime.recorder.FlightCall;
import io.tombolo.runtime.recorder.FlightRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the ranks of one communicator say together. Pure.
 *
 * @param label what people call the communicator
 * @param size its number of ranks
 * @param ranks those that have recorded, in their order
 */
record GroupTrace(String label, int size, ImmutableList<RankTrace> ranks) {

  /**
   * The communicators of {@code ranks}, in the order in which they were made; those of one name are
   * told apart by numbers from the second on.
   */
  static List<GroupTrace> all(List<RankTrace> ranks) {
    ImmutableListMultimap<Recording.CommunicatorKey, RankTrace> byCommunicator =
        Multimaps.index(
            ImmutableList.sortedCopyOf(
                Comparator.comparingLong((RankTrace each) -> each.recording().header().epochNs()),
                ranks),
            each -> each.recording().communicator());
    Multiset<String> names = HashMultiset.create();
    List<GroupTrace> groups = new ArrayList<>();
    for (Recording.CommunicatorKey key : byCommunicator.keySet()) {
      Recording first = byCommunicator.get(key).get(0).recording();
      names.add(first.label());
      int same = names.count(first.label());
      groups.add(
          new GroupTrace(
              same == 1 ? first.label() : first.label() + "~" + same,
              first.header().size(),
              ImmutableList.sortedCopyOf(
                  Comparator.comparingInt(RankTrace::rank), byCommunicator.get(key))));
    }
    return groups;
  }

  GroupSummary summary() {
    List<Missing> missing = missing();
    List<Mismatch> mismatches = mismatches();
    Optional<Lateness> lateness = lateness();
    List<Integer> unseen = unseen();
    return new GroupSummary(
        label,
        size,
        new GroupFindings(this, missing, mismatches, lateness, unseen).lines(),
        missing,
        mismatches,
        lateness.orElse(null),
        ranks.stream().map(RankTrace::summary).toList(),
        unseen);
  }

  private List<Integer> unseen() {
    Set<Integer> seen = ranks.stream().map(RankTrace::rank).collect(Collectors.toSet());
    return IntStream.range(0, size).filter(rank -> !seen.contains(rank)).boxed().toList();
  }

  /** Who stopped before which collective that others came to; the earliest first. */
  private List<Missing> missing() {
    long furthest = ranks.stream().mapToLong(RankTrace::entered).max().orElse(0);
    TreeMap<Long, List<Integer>> behind = new TreeMap<>();
    for (RankTrace rank : ranks) {
      if (rank.entered() < furthest) {
        behind.computeIfAbsent(rank.entered() + 1, key -> new ArrayList<>()).add(rank.rank());
      }
    }
    return behind.entrySet().stream()
        .map(entry -> missing(entry.getKey(), entry.getValue()))
        .toList();
  }

  private Missing missing(long sequence, List<Integer> behind) {
    Optional<FlightRecord> record =
        ranks.stream()
            .map(rank -> rank.collectives().get(sequence))
            .filter(each -> each != null)
            .findFirst();
    return new Missing(
        sequence,
        record.map(each -> each.call().toString()).orElse("an operation no longer recorded"),
        record.map(FlightRecord::sizeBytes).orElse(0L),
        behind,
        ranks.stream().filter(rank -> rank.entered() >= sequence).map(RankTrace::rank).toList());
  }

  /** What comes after the first is only its consequence. */
  private List<Mismatch> mismatches() {
    TreeSet<Long> sequences = new TreeSet<>();
    ranks.forEach(rank -> sequences.addAll(rank.collectives().keySet()));
    for (long sequence : sequences) {
      SetMultimap<FlightCall, RankTrace> sides = LinkedHashMultimap.create();
      for (RankTrace rank : ranks) {
        FlightRecord record = rank.collectives().get(sequence);
        if (record != null) {
          sides.put(record.call(), rank);
        }
      }
      if (sides.keySet().size() > 1) {
        return List.of(mismatch(sequence, sides));
      }
    }
    return List.of();
  }

  /** What most ranks called first. */
  private static Mismatch mismatch(long sequence, SetMultimap<FlightCall, RankTrace> sides) {
    return new Mismatch(
        sequence,
        sides.asMap().entrySet().stream()
            .map(
                side ->
                    new Side(
                        side.getKey().toString(),
                        side.getValue().stream()
                            .mapToLong(rank -> rank.collectives().get(sequence).sizeBytes())
                            .max()
                            .orElse(0),
                        side.getValue().stream().map(RankTrace::rank).toList()))
            .sorted(Comparator.comparingInt((Side side) -> -side.ranks().size()))
            .toList());
  }

  /** Over the collectives that all ranks have come to. */
  private Optional<Lateness> lateness() {
    if (ranks.size() < 2) {
      return Optional.empty();
    }
    Map<Integer, List<Long>> late = new HashMap<>();
    long operations = 0;
    for (long sequence : ranks.get(0).collectives().keySet()) {
      if (ranks.stream().allMatch(rank -> rank.collectives().containsKey(sequence))) {
        operations++;
        RankTrace last = ranks.stream().max(byArrival(sequence)).orElseThrow();
        RankTrace first = ranks.stream().min(byArrival(sequence)).orElseThrow();
        late.computeIfAbsent(last.rank(), key -> new ArrayList<>())
            .add(arrival(last, sequence) - arrival(first, sequence));
      }
    }
    long all = operations;
    return late.entrySet().stream()
        .max(Comparator.comparingInt(entry -> entry.getValue().size()))
        .map(entry -> lateness(entry.getKey(), entry.getValue(), all));
  }

  private static Lateness lateness(int rank, List<Long> lateNs, long operations) {
    double meanNs = lateNs.stream().mapToLong(Long::longValue).average().orElse(0);
    double meanMs = Math.round(meanNs / TimeUnit.MICROSECONDS.toNanos(1)) / 1_000.0;
    return new Lateness(rank, lateNs.size(), operations, meanMs);
  }

  private static Comparator<RankTrace> byArrival(long sequence) {
    return Comparator.comparingLong(rank -> arrival(rank, sequence));
  }

  private static long arrival(RankTrace rank, long sequence) {
    return rank.epochNs(rank.collectives().get(sequence));
  }
}
