// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.joint.WriterShare;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where the writers of a version find each other: by its state dict and what they call the round.
 * Those of one that has failed, and come too late, find it too, and are told. Thread-safe.
 */
final class JointPuts {
  /** Parts of all writers that are kept in mind: some hundred bytes each. */
  private static final long MAX_PARTS = 1 << 20;

  private record Key(String stateDict, String round) {}

  private final Catalog catalog;
  private final Duration roomPatience;
  private final Map<Key, JointPut> puts = new LinkedHashMap<>();

  /** None yet; each may wait so long for room that a device has not let go of. */
  JointPuts(Catalog catalog, Duration roomPatience) {
    this.catalog = catalog;
    this.roomPatience = roomPatience;
  }

  /**
   * The version that {@code share} takes part in from now on.
   *
   * @throws UsageException if there can be no such writer
   * @throws ResourceException if too much is written together at a time
   */
  JointPut join(VolumeRequest.Join join, WriterShare share) {
    check(join);
    JointPut put = entered(join, share);
    put.start(roomPatience);
    return put;
  }

  /** What is not finished, in the order in which it was begun. */
  synchronized Reply.Unfinished unfinished() {
    return new Reply.Unfinished(
        puts.values().stream()
            .map(JointPut::listing)
            .flatMap(Optional::stream)
            .collect(ImmutableList.toImmutableList()));
  }

  private synchronized JointPut entered(VolumeRequest.Join join, WriterShare share) {
    puts.values().removeIf(JointPut::isOver);
    Key key = new Key(join.stateDict(), join.round());
    checkRoom(key, share);
    JointPut put = puts.get(key);
    if (put == null || !put.join(share, join.patienceMs())) {
      put = new JointPut(catalog, join.stateDict(), join.round(), join.writers());
      puts.put(key, put);
      put.join(share, join.patienceMs());
    }
    return put;
  }

  private static void check(VolumeRequest.Join join) {
    if (join.stateDict().isEmpty() || join.round().isEmpty()) {
      throw new UsageException("a state dict needs a name, and a round of its writers another");
    }
    if (join.writers() < 1 || join.writers() > WireBounds.WRITERS) {
      throw new UsageException(
          "%s writers; a version has 1 to %s".formatted(join.writers(), WireBounds.WRITERS));
    }
    if (join.writer() < 0 || join.writer() >= join.writers()) {
      throw new UsageException(
          "no writer %s: %s are numbered from 0 on".formatted(join.writer(), join.writers()));
    }
  }

  private void checkRoom(Key key, WriterShare share) {
    long parts = puts.values().stream().mapToLong(JointPut::parts).sum();
    boolean tooMany = puts.size() >= WireBounds.JOINT_PUTS && !puts.containsKey(key);
    if (tooMany || parts + share.parts().size() > MAX_PARTS) {
      throw new ResourceException(
          ("%s versions of %s parts in all are being written together, or have failed lately; at most"
                  + " %s and %s: try again later")
              .formatted(puts.size(), parts, WireBounds.JOINT_PUTS, MAX_PARTS));
    }
  }
}
