// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.bootstrap.Agreement;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;

/**
 * One rank's keys in its group's place in the store: what the ranks agree on, and when each may
 * remove what. When all have left nothing stays; of a group that has failed, nothing once all have
 * closed it.
 */
final class GroupKeys {
  private static final String READY = "ready";
  private static final String LEAVE = "leave";
  private static final String LEFT = "left";
  private static final String SPLIT = "split-";
  private static final String AGREED = "agreement/";

  private final Members members;
  private final long id;
  private final String prefix;
  private final OwnKeys all;
  private final Store place;

  /** Keys of the group {@code id} in {@code place}, which is part of {@code all}. */
  GroupKeys(Members members, long id, OwnKeys all, Store place) {
    this.members = members;
    this.id = id;
    this.prefix = GroupFailures.placeOf(id) + "/";
    this.all = all;
    this.place = place;
  }

  /** Where the members meet. */
  Store place() {
    return place;
  }

  /** Blocks until all members have called this with equal {@code facts}. */
  void agree(String name, ImmutableSortedMap<String, String> facts, Deadline deadline) {
    Agreement.check(place, name, members.self(), members.size(), facts, deadline);
  }

  /** Blocks until all are ready to work; what they needed to become so is removed. */
  void agreeReady(Deadline deadline) {
    agree(READY, ImmutableSortedMap.of(), deadline);
    all.deleteIf(key -> isMine(key) && !key.startsWith(prefix + AGREED + READY));
  }

  /** Blocks until all want to leave. Who passes last removes what all have waited for. */
  void agreeLeave(Deadline deadline) {
    agree(LEAVE, ImmutableSortedMap.of(), deadline);
    all.disownWithin(prefix + AGREED + LEAVE);
    if (place.add(LEFT, 1) == members.size()) {
      Agreement.forget(place, LEAVE, members.size());
      place.delete(LEFT);
    }
  }

  /** Whether a member has left, or wants to. */
  boolean hasLeaver() {
    return Agreement.hasBegun(place, LEAVE, members.size());
  }

  /** The place of the split {@code number} of this group. */
  Store splitDesk(int number) {
    return place.within(SPLIT + number);
  }

  /** All members have begun the split {@code number}, so none asks about earlier ones. */
  void forgetSplitsBefore(int number) {
    String splits = prefix + SPLIT;
    String current = splits + number + "/";
    all.deleteIf(key -> key.startsWith(splits) && !key.startsWith(current));
  }

  /**
   * Removes this rank's keys. Where it left alone others may still wait for its leave; but not
   * after a failure, of which they know.
   */
  void clear(boolean failed) {
    all.deleteIf(key -> isMine(key) && (failed || !isLeave(key)));
    if (failed && id != 0 && place.add(LEFT, 1) == members.size()) {
      FailureWatch.forget(place);
      place.delete(LEFT);
    }
  }

  /** Whether {@code key} says that a rank leaves its group. */
  static boolean isLeave(String key) {
    return key.contains("/" + AGREED + LEAVE + "/");
  }

  private boolean isMine(String key) {
    return key.startsWith(prefix);
  }
}
