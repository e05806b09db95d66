// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import java.util.Collection;
import java.util.stream.Collectors;

/** Sentences about keys, the same for every store. */
final class Keys {
  private static final int SHOWN = 8;

  private Keys() {}

  /** The error of a wait that ended without {@code missing}. */
  static DeadlineExceededException notSet(
      Collection<String> missing, String where, Deadline deadline) {
    return new DeadlineExceededException(
        "nobody set %s in %s within %s ms"
            .formatted(quoted(missing), where, deadline.budgetNs() / 1_000_000));
  }

  /** The error of a wait that {@link Store#endWaits} has ended. */
  static PeerFailedException over(String what, String why) {
    return new PeerFailedException("no use to " + what + ": " + why);
  }

  /** The keys in quotes, the first few of many. */
  static String quoted(Collection<String> keys) {
    String shown =
        keys.stream().limit(SHOWN).map(key -> "'" + key + "'").collect(Collectors.joining(", "));
    return keys.size() > SHOWN ? shown + " and " + (keys.size() - SHOWN) + " more" : shown;
  }
}
