// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a rank asks while a vendor's library brings it together with others, and does not say
 * itself.
 *
 * @param failure how the job or the group has failed, if it has: then the wait is over
 * @param missing members that have not begun to join
 */
public record JoinWatch(Supplier<Optional<String>> failure, Supplier<List<Integer>> missing) {
  /** Knows nothing. */
  public static final JoinWatch NONE = new JoinWatch(Optional::empty, List::of);
}
