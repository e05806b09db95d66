// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.base.errors.ResourceException;
import java.util.HashSet;
import java.util.Set;

/** How many tags one communicator has had, which each have channels of their own. Thread-safe. */
final class TagLimit {
  /** Tags beside 0. */
  private static final int MAX_TAGS = 64;

  private final int rank;
  private final Set<Integer> known = new HashSet<>();

  TagLimit(int rank) {
    this.rank = rank;
  }

  /**
   * A message of {@code tag} comes with {@code call}.
   *
   * @throws ResourceException if that is one tag too many
   */
  void admit(Object call, int tag) {
    if (tag != 0) {
      add(call, tag);
    }
  }

  private synchronized void add(Object call, int tag) {
    if (known.size() == MAX_TAGS && !known.contains(tag)) {
      throw new ResourceException(
          "rank %s: %s: messages of %s other tags have been here, each with channels of its own; "
                  .formatted(rank, call, MAX_TAGS)
              + "use fewer tags, or another communicator");
    }
    known.add(tag);
  }
}
