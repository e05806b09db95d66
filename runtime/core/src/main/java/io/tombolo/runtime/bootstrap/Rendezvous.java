// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.Store;
import java.util.List;
import java.util.Optional;

/** The first thing the ranks of a job do together: everyone learns who everyone is. */
public final class Rendezvous {
  private static final String ROOM = "rendezvous";

  private Rendezvous() {}

  /** What {@code rank} has published, if it has come; for those who only look. */
  static Optional<RankDescriptor> find(Store store, int rank) {
    return store
        .within(ROOM)
        .get(Integer.toString(rank))
        .map(bytes -> DescriptorCodec.decode(bytes, "rank " + rank));
  }

  /**
   * Publishes {@code mine} and waits for the descriptors of all {@code size} ranks, for as long as
   * {@code time} says.
   *
   * @return the descriptors by rank; all speak a common protocol version
   * @throws io.tombolo.base.errors.DeadlineExceededException naming exactly the ranks that did not
   *     come
   * @throws MismatchException if two ranks speak no common version
   * @throws io.tombolo.base.errors.CorruptException if what a rank published is no descriptor
   */
  public static ImmutableList<RankDescriptor> exchange(
      Store store, RankDescriptor mine, int size, JoinTime time) {
    Store room = store.within(ROOM);
    room.set(Integer.toString(mine.rank()), DescriptorCodec.encode(mine));
    List<byte[]> published = new RollCall(room, mine.rank(), size, "rendezvous").await(time);
    ImmutableList.Builder<RankDescriptor> all = ImmutableList.builder();
    for (int rank = 0; rank < size; rank++) {
      all.add(DescriptorCodec.decode(published.get(rank), "rank " + rank));
    }
    ImmutableList<RankDescriptor> descriptors = all.build();
    protocolOf(descriptors);
    return descriptors;
  }

  /**
   * The highest protocol version that all speak.
   *
   * @throws MismatchException naming rank and build of two that have none in common
   */
  public static int protocolOf(List<RankDescriptor> descriptors) {
    RankDescriptor oldest = descriptors.get(0);
    RankDescriptor newest = oldest;
    for (RankDescriptor each : descriptors) {
      oldest = each.protocolMax() < oldest.protocolMax() ? each : oldest;
      newest = each.protocolMin() > newest.protocolMin() ? each : newest;
    }
    if (oldest.protocolMax() < newest.protocolMin()) {
      throw new MismatchException(
          "%s speaks protocol versions up to %s, but %s needs %s or later; run the same build everywhere"
              .formatted(
                  oldest.label(), oldest.protocolMax(), newest.label(), newest.protocolMin()));
    }
    return oldest.protocolMax();
  }
}
