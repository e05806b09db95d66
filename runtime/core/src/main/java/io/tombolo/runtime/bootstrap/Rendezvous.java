// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The first thing the ranks of a job do together: everyone learns who everyone is. Used once, by
 * one thread.
 */
public final class Rendezvous {
  private static final String ROOM = "rendezvous";

  private final TreeGathering gathering;
  private final JoinTime time;

  private Rendezvous(TreeGathering gathering, JoinTime time) {
    this.gathering = gathering;
    this.time = time;
  }

  /**
   * What came of it.
   *
   * @param ranks the descriptors by rank; all speak a common protocol version
   * @param deadline how long each waits for the others, now that all have met
   */
  public record Met(ImmutableList<RankDescriptor> ranks, Deadline deadline) {}

  /** Who has met, if all have; for those who only look. */
  static Optional<Roster> find(Store store, int size) {
    return store.within(ROOM).get(GatherTree.ALL).map(bytes -> Roster.read(size, bytes));
  }

  /** Who of {@code size} ranks has not come; for those who only look. */
  static ImmutableList<Integer> missing(Store store, int size) {
    return Turnout.of(store.within(ROOM), new GatherTree(size)).missing();
  }

  /**
   * Publishes {@code mine} and waits for the descriptors of all {@code size} ranks, for as long as
   * {@code time} says.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException naming exactly the ranks that did not
   *     come
   * @throws MismatchException if two ranks speak no common version
   * @throws io.tombolo.base.errors.CorruptException if what a rank published is no descriptor
   */
  public static Met exchange(Store store, RankDescriptor mine, int size, JoinTime time) {
    return begin(store, mine, size, time).await(bytes -> read(size, bytes));
  }

  private static Roster read(int size, byte[] bytes) {
    Roster all = Roster.read(size, bytes);
    int unused = protocolOf(all.ranks());
    return all;
  }

  /** Publishes {@code mine}; blocks until those have come whose descriptors go with it. */
  public static Rendezvous begin(Store store, RankDescriptor mine, int size, JoinTime time) {
    TreeGathering gathering =
        new TreeGathering(
            store.within(ROOM),
            mine.rank(),
            size,
            Occasion.ofJob("rendezvous", store, size),
            time.own(),
            time::said);
    gathering.give(Roster.entry(mine, Duration.ofNanos(time.own().budgetNs())));
    return new Rendezvous(gathering, time);
  }

  /**
   * Blocks until all have come; {@code reader} reads what they have published, and sees to it that
   * they {@linkplain #protocolOf speak a common version}.
   */
  public Met await(Function<byte[], Roster> reader) {
    Roster all = reader.apply(gathering.await());
    return new Met(all.ranks(), time.own().stretchedTo(all.limit()));
  }

  /**
   * The highest protocol version that all speak.
   *
   * @throws MismatchException naming rank and build of two that have none in common
   */
  public static int protocolOf(List<RankDescriptor> descriptors) {
    RankDescriptor oldest = descriptors.get(0);
    RankDescriptor newest = oldest;
    for (RankDescriptor each : descriptors) {
      oldest = each.protocolMax() < oldest.protocolMax() ? each : oldest;
      newest = each.protocolMin() > newest.protocolMin() ? each : newest;
    }
    if (oldest.protocolMax() < newest.protocolMin()) {
      throw new MismatchException(
          "%s speaks protocol versions up to %s, but %s needs %s or later; run the same build everywhere"
              .formatted(
                  oldest.label(), oldest.protocolMax(), newest.label(), newest.protocolMin()));
    }
    return oldest.protocolMax();
  }
}
