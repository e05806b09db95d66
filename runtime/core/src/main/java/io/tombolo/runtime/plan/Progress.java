// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.rdma.ChannelRoom;
import io.tombolo.runtime.plan.World.At;
import io.tombolo.runtime.plan.World.Message;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Whether all ranks' programs come to their end as the executor runs them: the steps of a resource
 * start in program order; a vendor call ends when all members have come to it; a channel has its
 * {@link ChannelRoom}, and what does not fit waits for the receiver.
 *
 * <p>Whatever is waited for is so in every run, never one thing or another. So a job gets stuck
 * exactly if something waits for itself, in a circle; and then it does whatever the timing.
 */
final class Progress {
  private final World world;
  private final ChannelRoom room;
  private final Order order;

  private Progress(World world, ChannelRoom room, Order order) {
    this.world = world;
    this.room = room;
    this.order = order;
  }

  /**
   * The points of all steps in an order in which they may happen.
   *
   * @param happensBefore the order of the points of {@code world} that data needs
   * @throws PlanDefect if there is none
   */
  static int[] check(World world, ChannelRoom room, Order happensBefore) {
    Progress progress = new Progress(world, room, happensBefore.copy());
    world.plans().forEach(progress::addPrograms);
    world.channels().forEach(progress::addChannel);
    world.vendorCalls().forEach(progress::addVendorCall);
    int[] sorted = progress.order.sorted();
    if (sorted.length < 2 * world.steps().size()) {
      throw new PlanDefect("deadlock: " + progress.anyStuck(sorted) + " waits for itself");
    }
    return sorted;
  }

  /** Copies and arithmetic; the other resources have two ends or more. */
  private void addPrograms(Plan plan) {
    Map<Resource.Kind, At> last = new EnumMap<>(Resource.Kind.class);
    for (At at : world.stepsOf(plan.rank())) {
      At previous = last.put(at.resource().kind(), at);
      if (previous != null && at.resource().peer() < 0) {
        order.before(previous.start(), at.start());
      }
    }
  }

  private void addVendorCall(ImmutableList<At> members) {
    for (At from : members) {
      members.forEach(to -> order.before(from.start(), to.end()));
    }
  }

  private void addChannel(List<Message> messages) {
    int[] awaited =
        room.awaited(messages.stream().mapToLong(message -> message.send().sentBytes()).toArray());
    for (int i = 0; i < awaited.length; i++) {
      Message message = messages.get(i);
      if (awaited[i] >= 0) {
        order.before(messages.get(awaited[i]).receive().start(), message.send().end());
      }
      if (i > 0) {
        Message previous = messages.get(i - 1);
        order.before(previous.send().start(), message.send().start());
        order.before(previous.receive().start(), message.receive().start());
        order.before(previous.receive().end(), message.receive().end());
      }
      if (i >= room.messages()) {
        Message first = messages.get(i - room.messages());
        order.before(first.send().end(), message.send().start());
        order.before(first.receive().end(), message.receive().start());
      }
    }
  }

  private At anyStuck(int[] sorted) {
    BitSet stuck = new BitSet();
    stuck.set(0, 2 * world.steps().size());
    IntStream.of(sorted).forEach(stuck::clear);
    return world.steps().get(stuck.nextSetBit(0) / 2);
  }
}
