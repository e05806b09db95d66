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
import io.tombolo.runtime.bootstrap.RankCount;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One rank's keys in its group's place in the store: what the ranks agree on, and when each may
 * remove what. Once all have closed the group, whether it has failed or not, nothing stays.
 *
 * <p>A rank that leaves before the others {@linkplain #bequeath leaves them its keys}: they may
 * still be about to read them. The last one removes these.
 */
final class GroupKeys {
  private static final String CONTEXT = "plan-context";
  private static final String READY = "ready";

  /** That a rank has said that it leaves. */
  private static final String LEAVING = "leaving";

  /** Set by the last who says so. */
  private static final String ALL_LEAVE = "all-leave";

  /** Before a rank of the job that has left while others had not: a list of its keys. */
  private static final String REST = "rest/";

  /** That there is such a list. */
  private static final String HAS_REST = "has-rest";

  /** Before a rank of the job that has left: the first failure that it had met. */
  private static final String MET = "met/";

  private static final String SPLIT = "split-";
  private static final String CREATE = "create-";
  private static final String MERGE = "merge-";
  private static final String AGREED = "agreement/";
  private static final byte[] SET = {1};

  private final Members members;
  private final long id;
  private final String prefix;
  private final OwnKeys all;
  private final Store place;
  private final RankCount leaving;
  private final RankCount left;
  private final Map<String, Integer> made = new ConcurrentHashMap<>();
  private volatile boolean saidLast;

  /** Keys of the group {@code id} in {@code place}, which is part of {@code all}. */
  GroupKeys(Members members, long id, OwnKeys all, Store place) {
    this.members = members;
    this.id = id;
    this.prefix = GroupFailures.placeOf(id) + "/";
    this.all = all;
    this.place = place;
    this.leaving = new RankCount(place, "leave", members.size());
    this.left = new RankCount(place, "left", members.size());
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

  /** Says that this rank leaves. Waits for nobody. */
  void sayLeaving() {
    mark(LEAVING);
    if (leaving.add(members.self())) {
      saidLast = true;
      place.set(ALL_LEAVE, SET);
      all.disown(prefix + ALL_LEAVE);
    }
  }

  /** Whether all have said so by {@code deadline}. */
  boolean awaitAllLeaving(Deadline deadline) {
    if (saidLast) {
      return true; // and the store may go with whom this rank was waited for by
    }
    try {
      Object unused = place.await(ALL_LEAVE, deadline);
      return true;
    } catch (DeadlineExceededException e) {
      return false;
    }
  }

  /** Says what this rank has met before it leaves, to whom it is missed by. */
  void sayWhatWasMet(String failure) {
    place.set(metBy(members.jobRank(members.self())), failure.getBytes(UTF_8));
  }

  /** Leaves what this rank has put here to those that have not left; they see it at once. */
  void bequeath() {
    all.bequeath(this::isMine, prefix + restOf(members.jobRank(members.self())));
    mark(HAS_REST);
  }

  /** Sets {@code key}, as others may, and is nobody's: other than a set, it has an answer. */
  private void mark(String key) {
    byte[] unused = place.compareSet(key, new byte[0], SET);
  }

  /** Whether a member of the group {@code id} has left, or wants to; in the job's {@code store}. */
  static boolean hasLeaver(Store store, long id) {
    return store.within(GroupFailures.placeOf(id)).get(LEAVING).isPresent();
  }

  /**
   * Whether {@code rank} of the job has left the group {@code id} in order while others had not; in
   * the job's {@code store}.
   */
  static boolean hasLeftOthers(Store store, long id, int rank) {
    return store.within(GroupFailures.placeOf(id)).get(restOf(rank)).isPresent();
  }

  /** What {@code rank} of the job had met when it left the group {@code id}, if it says so. */
  static Optional<String> metBy(Store store, long id, int rank) {
    return store
        .within(GroupFailures.placeOf(id))
        .get(metBy(rank))
        .map(bytes -> new String(bytes, UTF_8));
  }

  private static String metBy(int jobRank) {
    return MET + jobRank;
  }

  private static String restOf(int jobRank) {
    return REST + jobRank;
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
   * Removes this rank's keys, which has closed the group, and if it is the last to do so all that
   * is left. In a job that has failed one may have died, who never does so: then each removes what
   * is there by now, as nobody asks for it any more.
   */
  void clear(boolean jobHasFailed) {
    all.deleteIf(this::isMine);
    if (jobHasFailed ? hasLeaver(all, id) || hasFailure() : left.add(members.self())) {
      clearLeavers();
      left.clear();
      clearFailure();
    }
  }

  private void clearLeavers() {
    if (place.delete(HAS_REST)) {
      members.jobRanks().forEach(rank -> OwnKeys.deleteListed(all, prefix + restOf(rank)));
    }
    place.delete(ALL_LEAVE);
    place.delete(LEAVING);
    leaving.clear();
  }

  private void clearFailure() {
    if (hasFailure()) {
      FailureWatch.forgetOf(GroupFailures.placeOf(id), all);
    }
  }

  /** That of all ranks is the job's. */
  private boolean hasFailure() {
    return id != 0 && FailureWatch.hasFailure(place);
  }

  private boolean isMine(String key) {
    return key.startsWith(prefix);
  }
}
