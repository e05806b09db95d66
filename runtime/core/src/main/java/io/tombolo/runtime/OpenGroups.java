// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The groups that this rank is in: that of all ranks, which is the first, and then the parts that
 * it has opened and not left. Thread-safe.
 */
final class OpenGroups {
  private final List<RankGroup> groups = new CopyOnWriteArrayList<>();
  private volatile boolean areClosed;

  /** This rank has come into {@code group}. */
  void add(RankGroup group) {
    groups.add(group);
  }

  /** This rank has left {@code group}, which one of the others may be the parent of. */
  void remove(RankGroup group) {
    groups.remove(group);
    groups.forEach(each -> each.disown(group));
  }

  /** All of them, also as they close; it shows what comes and goes. */
  List<RankGroup> all() {
    return groups;
  }

  /** The group of all ranks, once they have come together. */
  RankGroup everyone() {
    return groups.get(0);
  }

  /** Those that hear of failures; none once they are closed. */
  List<RankGroup> hearing() {
    return areClosed ? List.of() : groups;
  }

  /** They are about to be closed: from now on none hears of failures. */
  void endHearing() {
    areClosed = true;
  }

  /** Whether calls or messages are under way in any of them. */
  boolean areBusy() {
    return groups.stream().anyMatch(RankGroup::isBusy);
  }

  /** How many collectives this rank has called in them so far. */
  long operations() {
    return groups.stream().mapToLong(group -> group.executor().activity().operations()).sum();
  }

  /** Something that all of them need has failed. */
  void fail(Throwable cause) {
    groups.forEach(group -> group.fail(cause));
  }
}
