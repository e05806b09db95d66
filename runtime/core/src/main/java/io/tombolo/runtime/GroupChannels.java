// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Deadline;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.plan.Reach;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * One rank's channels to the other members of a group: opens them for those who use them and close
 * them, and says what they reach of this rank's device memory, and what they have moved. They are
 * opened on the agent's thread; all else is thread-safe.
 */
final class GroupChannels {
  /** Each group has this many kinds of channels between two ranks. */
  private static final int KINDS = 3;

  private static final int DATA = 0;
  private static final int CONTROL = 1;
  private static final int MESSAGES = 2;

  /** Those of messages are as many as there are tags: above these bits the id has the tag. */
  private static final int TAG_SHIFT = 32;

  private final Wiring wiring;
  private final Equipment equipment;
  private final Members members;
  private final long id;
  private final List<Channel> counted = new CopyOnWriteArrayList<>();

  /** Channels of the group {@code id} to {@code members}, opened over {@code wiring}. */
  GroupChannels(Wiring wiring, Equipment equipment, Members members, long id) {
    this.wiring = wiring;
    this.equipment = equipment;
    this.members = members;
    this.id = id;
  }

  /** Opens the channel to {@code rank} for what collectives move. */
  Channel openData(int rank, Deadline deadline) {
    return open(rank, DATA, deadline);
  }

  /** Opens the channel to {@code rank} for messages with {@code tag}. */
  Channel openMessages(int rank, int tag, Deadline deadline) {
    return open(rank, MESSAGES | (long) tag << TAG_SHIFT, deadline);
  }

  private Channel open(int rank, long kind, Deadline deadline) {
    Channel channel = connect(rank, kind, deadline);
    counted.add(channel);
    return channel;
  }

  /** Opens the channel to {@code rank} for votes, which no traffic counts. */
  Channel openControl(int rank, Deadline deadline) {
    return connect(rank, CONTROL, deadline);
  }

  private Channel connect(int rank, long kind, Deadline deadline) {
    return wiring.connect(members.jobRank(rank), id * KINDS + kind, deadline);
  }

  /** Which fabric leads to {@code rank}, and why. */
  String route(int rank) {
    return wiring.route(members.jobRank(rank));
  }

  /**
   * What is reached of this rank's device memory, and what is combined there. Where that is the
   * host's memory, all channels copy from and to it, and the host engine combines in it: nothing is
   * staged.
   */
  Reach reach() {
    if (equipment.device().isHost()) {
      ImmutableSet<Integer> others = peers(peer -> true);
      return new Reach(others, others, true, true, 0);
    }
    return new Reach(
        peers(wiring::sendsDirectly),
        peers(wiring::receivesDirectly),
        true,
        true,
        equipment.reductions().deviceFromBytes());
  }

  /** What is reached of this rank's device memory wherever it is from: by the device's engine. */
  Reach reachAnywhere() {
    ImmutableSet<Integer> copied = peers(wiring::copiesByDevice);
    return new Reach(copied, copied, true, true, equipment.reductions().deviceFromBytes());
  }

  private ImmutableSet<Integer> peers(IntPredicate reached) {
    return IntStream.range(0, members.size())
        .filter(peer -> peer != members.self())
        .filter(peer -> reached.test(members.jobRank(peer)))
        .boxed()
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Adds what has been moved: bytes by fabric; returns the bytes copied. */
  long addTraffic(Map<String, Long> byFabric) {
    long copied = 0;
    for (Channel channel : counted) {
      byFabric.merge(channel.carrier(), channel.sentBytes(), Long::sum);
      copied += channel.copiedBytes();
    }
    return copied;
  }

  /** Bytes that this rank's device copied between its memory and slots. */
  long engineBytes() {
    return counted.stream().mapToLong(Channel::engineBytes).sum();
  }

  /** Bytes that NICs took from, or put into, this group's messages themselves. */
  long directBytes() {
    return counted.stream().mapToLong(Channel::directBytes).sum();
  }
}
