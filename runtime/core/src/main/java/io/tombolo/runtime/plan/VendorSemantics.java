// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.World.At;
import java.util.List;

/** What a vendor's collective does to its members' memory, in symbols. */
final class VendorSemantics {
  private VendorSemantics() {}

  /** Whether the input of the member at {@code from} goes into the output of that at {@code to}. */
  static boolean flows(ImmutableList<At> members, int from, int to) {
    if (members.get(from).step().action() instanceof Action.Exchange exchange) {
      return exchange.sends().stream().anyMatch(send -> send.position() == to);
    }
    Action.IntraCall call = call(members.get(from));
    return switch (call.primitive()) {
      case BROADCAST, SCATTER -> from == call.root();
      case REDUCE, GATHER -> to == call.root();
      case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, SEND, RECEIVE -> true;
    };
  }

  /** What {@code member} finds in its output, given what each step of the world read. */
  static Contents result(ImmutableList<At> members, At member, List<List<Contents>> read) {
    Action.IntraCall call = call(member);
    int position = members.indexOf(member);
    long length = call.output().length();
    return switch (call.primitive()) {
      case ALL_REDUCE -> reduced(members, read, 0, length, member);
      case REDUCE_SCATTER -> reduced(members, read, position * length, length, member);
      case REDUCE ->
          position == call.root() ? reduced(members, read, 0, length, member) : new Contents();
      case BROADCAST -> input(members.get(call.root()), read, 0, length);
      case ALL_GATHER -> gathered(members, read, 0, length);
      case GATHER -> position == call.root() ? gathered(members, read, 0, length) : new Contents();
      case SCATTER -> input(members.get(call.root()), read, position * length, length);
      case ALL_TO_ALL -> gathered(members, read, position * (length / members.size()), length);
      case SEND, RECEIVE ->
          throw new PlanDefect(
              member + " calls " + call.primitive() + ", which has no meaning here");
    };
  }

  /** What {@code receiver} gets from the member at {@code position} in a group of messages. */
  static Contents received(
      ImmutableList<At> members, At receiver, int position, List<List<Contents>> read) {
    At sender = members.get(position);
    List<Action.Transfer> sends = ((Action.Exchange) sender.step().action()).sends();
    int to = members.indexOf(receiver);
    for (int i = 0; i < sends.size(); i++) {
      if (sends.get(i).position() == to) {
        return read.get(sender.node()).get(i);
      }
    }
    throw new PlanDefect(receiver + " waits for member " + position + ", who sends it nothing");
  }

  private static Contents reduced(
      ImmutableList<At> members, List<List<Contents>> read, long from, long length, At where) {
    Contents sum = null;
    for (At member : members) {
      Contents operand = input(member, read, from, length);
      sum = sum == null ? operand : sum.zip(operand, (one, two) -> one.reducedWith(two, where));
    }
    return call(where).op() == ReduceOp.AVG ? divided(sum, members.size(), where) : sum;
  }

  private static Contents divided(Contents sum, int members, At where) {
    return sum.map(value -> value.dividedBy(members, members, where));
  }

  private static Contents gathered(
      ImmutableList<At> members, List<List<Contents>> read, long from, long length) {
    Contents all = new Contents();
    long share = length / members.size();
    for (int i = 0; i < members.size(); i++) {
      all.put(i * share, share, input(members.get(i), read, from, share));
    }
    return all;
  }

  private static Contents input(At member, List<List<Contents>> read, long from, long length) {
    if (call(member).input().length() < from + length) {
      throw new PlanDefect(
          member + " contributes " + call(member).input() + ", too short for its call");
    }
    return read.get(member.node()).get(0).part(from, length);
  }

  private static Action.IntraCall call(At at) {
    return (Action.IntraCall) at.step().action();
  }
}
