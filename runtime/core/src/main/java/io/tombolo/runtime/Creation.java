// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.UsageException;
import java.util.HashSet;
import java.util.List;

/** Makes a group of some ranks of another, which the others hear nothing of. */
final class Creation {
  private Creation() {}

  /**
   * The group of {@code ranks} of {@code parent}, in this order.
   *
   * @throws UsageException if they are no set of its ranks with this one among them
   */
  static RankGroup of(
      Session session, RankGroup parent, List<Integer> ranks, String tag, Deadline deadline) {
    Members members = parent.members();
    check(ranks, members);
    GroupKeys keys = parent.keys();
    String key = keys.nextCreation(ranks, tag);
    return session.open(
        parent, members.some(ranks), keys.drawId(key), deadline, () -> keys.forget(key));
  }

  private static void check(List<Integer> ranks, Members members) {
    if (new HashSet<>(ranks).size() != ranks.size()) {
      throw new UsageException("a rank occurs twice in the group " + ranks);
    }
    for (int rank : ranks) {
      if (rank < 0 || rank >= members.size()) {
        throw new UsageException(
            "there is no rank %s in a communicator of %s, for the group %s"
                .formatted(rank, members.size(), ranks));
      }
    }
    if (!ranks.contains(members.self())) {
      throw new UsageException(
          "rank %s makes a group of %s, which only these ranks can make"
              .formatted(members.self(), ranks));
    }
  }
}
