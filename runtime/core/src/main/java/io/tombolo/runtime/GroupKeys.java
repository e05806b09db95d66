// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.hash.Hashing;
import com.google.common.primitives.Longs;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.bootstrap.Agreement;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One rank's keys in its group's place in the store: what the ranks agree on, and when each may
 * remove what. When all have left nothing stays; of a group that has failed, nothing once all have
 * closed it.
 */
final class GroupKeys {
  private static final String CONTEXT = "plan-context";
  private static final String READY = "ready";
  private static final String LEAVE = "leave";
  private static final String LEAVING = "leaving";
  private static final String LEFT = "left";
  private static final String SPLIT = "split-";
  private static final String CREATE = "create-";
  private static final String MERGE = "merge-";
  private static final String AGREED = "agreement/";

  private final Members members;
  private final long id;
  private final String prefix;
  private final OwnKeys all;
  private final Store place;
  private final Map<String, Integer> made = new ConcurrentHashMap<>();

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

  /**
   * Blocks until all members have come, with equal {@code facts} to plan from.
   *
   * @throws DeadlineExceededException naming the job's ranks that did not come
   */
  void agreeContext(ImmutableSortedMap<String, String> facts, Deadline deadline) {
    try {
      agree(CONTEXT, facts, deadline);
    } catch (DeadlineExceededException e) {
      List<Integer> missing =
          Agreement.missing(place, CONTEXT, members.size()).stream().map(members::jobRank).toList();
      if (id == 0 || missing.isEmpty()) {
        throw e;
      }
      throw new DeadlineExceededException(
          "the group of the job's ranks %s did not come together within %s ms: nothing was heard of %s; all of them must make it"
              .formatted(members.jobRanks(), deadline.budgetNs() / 1_000_000, missing),
          e);
    }
  }

  private void agree(String name, ImmutableSortedMap<String, String> facts, Deadline deadline) {
    Agreement.check(place, name, members.self(), members.size(), facts, deadline);
  }

  /** Blocks until all are ready to work; what they needed to become so is removed. */
  void agreeReady(Deadline deadline) {
    agree(READY, ImmutableSortedMap.of(), deadline);
    all.deleteIf(key -> isMine(key) && !key.startsWith(prefix + AGREED + READY));
  }

  /** Blocks until all want to leave. Who passes last removes what all have waited for. */
  void agreeLeave(Deadline deadline) {
    place.set(LEAVING, new byte[] {1});
    all.disown(prefix + LEAVING);
    agree(LEAVE, ImmutableSortedMap.of(), deadline);
    all.disown(prefix + Agreement.keyOf(LEAVE));
    all.deleteIf(key -> isMine(key) && isLeave(key));
    if (place.add(LEFT, 1) == members.size()) {
      place.delete(Agreement.keyOf(LEAVE));
      place.delete(LEAVING);
      place.delete(LEFT);
    }
  }

  /** Whether a member has left, or wants to. */
  boolean hasLeaver() {
    return place.get(LEAVING).isPresent();
  }

  /** The name of this group's next split among those called {@code tag}. */
  String nextSplit(String tag) {
    return next(SPLIT + digest(tag) + "-");
  }

  /**
   * All members have begun the split {@code name} of those called {@code tag}: none asks about
   * earlier ones.
   */
  void forgetSplitsBefore(String name, String tag) {
    String splits = prefix + SPLIT + digest(tag) + "-";
    all.deleteIf(key -> key.startsWith(splits) && !key.startsWith(prefix + name + "/"));
  }

  /** The name of the next group of {@code ranks} of this one, of those called {@code tag}. */
  String nextCreation(List<Integer> ranks, String tag) {
    return next(CREATE + digest(ranks + " " + tag) + "-");
  }

  /** The name, in the place of all ranks, of the union of {@code size} ranks called {@code tag}. */
  static String nameOfMerge(int size, String tag) {
    return MERGE + digest(size + " " + tag);
  }

  /** Counts from 1; all who take part in what {@code name} says get the same numbers. */
  private String next(String name) {
    return name + made.merge(name, 1, Integer::sum);
  }

  /**
   * The number in the job of the group that its members find at {@code key}: whoever comes first
   * draws it. Waits for nobody.
   */
  long drawId(String key) {
    own(key);
    byte[] drawn =
        place
            .get(key)
            .orElseGet(
                () ->
                    place.compareSet(
                        key, new byte[0], Longs.toByteArray(all.add(JobRound.GROUPS, 1))));
    if (drawn.length != Long.BYTES) {
      throw new CorruptException("a group has a number of " + drawn.length + " bytes in the store");
    }
    return Longs.fromByteArray(drawn);
  }

  /** Has {@code key} removed with this rank's. */
  void own(String key) {
    all.own(prefix + key);
  }

  /** All whom {@code key} concerned have read it. */
  void forget(String key) {
    place.delete(key);
  }

  /** What others call it may be long, and of any characters. */
  private static String digest(String text) {
    return Hashing.sha256().hashString(text, UTF_8).toString().substring(0, 32);
  }

  /**
   * Removes this rank's keys. Where it left alone others may still wait for its leave; but not
   * after a failure, of which they know.
   */
  void clear(boolean failed) {
    all.deleteIf(key -> isMine(key) && (failed || !isLeave(key)));
    if (failed && id != 0 && place.add(LEFT, 1) == members.size()) {
      FailureWatch.forgetOf(GroupFailures.placeOf(id), all);
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
