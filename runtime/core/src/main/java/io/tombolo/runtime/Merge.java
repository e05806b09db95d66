// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.Store;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Brings the ranks of several groups of a job together. No group knows the others' members: the
 * first rank of each adds its own to a set in the store. The union is complete when the set is as
 * large as all say.
 */
final class Merge {
  private static final String SEPARATOR = ",";
  private static final byte[] MISSING = {};

  private final RankGroup group;
  private final int size;
  private final String tag;
  private final GroupKeys keys;
  private final Store place;
  private final String soFar;
  private final String complete;
  private final String number;

  private Merge(RankGroup everyone, RankGroup group, int size, String tag) {
    this.group = group;
    this.size = size;
    this.tag = tag;
    keys = everyone.keys();
    place = keys.place();
    String name = GroupKeys.nameOfMerge(size, tag);
    soFar = name + "/so-far";
    complete = name + "/complete";
    number = name + "/number";
  }

  /**
   * The union of {@code group} and others that has {@code size} ranks, by their rank in the job. It
   * is part of the group of all ranks, and of none of those that come.
   *
   * @throws DeadlineExceededException if those that come have fewer ranks
   * @throws MismatchException if they have more
   */
  static RankGroup of(Session session, RankGroup group, int size, String tag, Deadline deadline) {
    RankGroup everyone = session.everyone();
    Merge merge = new Merge(everyone, group, size, tag);
    Members members = new Members(merge.ranks(deadline), session.rank());
    try {
      return session.open(
          everyone, members, merge.keys.drawId(merge.number), deadline, merge::forget);
    } catch (RuntimeException e) {
      merge.forget(); // who tries again must not find it
      throw e;
    }
  }

  /** The union, once it is complete. */
  private SortedSet<Integer> ranks(Deadline deadline) {
    if (group.members().self() == 0) {
      add();
    }
    SortedSet<Integer> ranks = awaited(deadline);
    if (ranks.size() != size || !ranks.containsAll(group.members().jobRanks().asList())) {
      throw new MismatchException(
          "merge '%s' of %s ranks has brought the job's ranks %s together, and here come %s; give each union a tag of its own, and its size"
              .formatted(tag, size, ranks, group.members().jobRanks()));
    }
    return ranks;
  }

  private SortedSet<Integer> awaited(Deadline deadline) {
    try {
      return decode(place.await(complete, deadline));
    } catch (DeadlineExceededException e) {
      SortedSet<Integer> came = decode(place.get(soFar).orElse(MISSING));
      forget();
      throw new DeadlineExceededException(
          "merge '%s' of %s ranks: within %s ms only the job's ranks %s came; look at what the others do"
              .formatted(tag, size, deadline.budgetNs() / 1_000_000, came),
          e);
    }
  }

  /** Adds this group's ranks; says so if they were the last. */
  private void add() {
    keys.own(soFar);
    keys.own(complete);
    byte[] before = MISSING;
    while (true) {
      SortedSet<Integer> ranks = decode(before);
      ranks.addAll(group.members().jobRanks().asList());
      byte[] after = encode(ranks);
      byte[] now = place.compareSet(soFar, before, after);
      if (Arrays.equals(now, after)) {
        if (ranks.size() >= size) {
          place.compareSet(complete, MISSING, after);
        }
        return;
      }
      before = Arrays.equals(now, before) ? MISSING : now; // or somebody has removed it
    }
  }

  private void forget() {
    keys.forget(soFar);
    keys.forget(complete);
    keys.forget(number);
  }

  private static byte[] encode(SortedSet<Integer> ranks) {
    return ranks.stream()
        .map(String::valueOf)
        .collect(Collectors.joining(SEPARATOR))
        .getBytes(UTF_8);
  }

  private static SortedSet<Integer> decode(byte[] bytes) {
    SortedSet<Integer> ranks = new TreeSet<>();
    for (String text : Splitter.on(SEPARATOR).omitEmptyStrings().split(new String(bytes, UTF_8))) {
      Integer rank = Ints.tryParse(text);
      if (rank == null) {
        throw new CorruptException("'" + text + "' stands in the store where a rank should");
      }
      ranks.add(rank);
    }
    return ranks;
  }
}
