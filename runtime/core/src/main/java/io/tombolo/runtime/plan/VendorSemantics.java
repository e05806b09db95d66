package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.SymbolicMemory.Piece;
import io.tombolo.runtime.plan.World.At;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a vendor's collective does to its members' memory, in symbols. */
final class VendorSemantics {
  private VendorSemantics() {}

  /** Whether {@code from}'s input goes into {@code to}'s output. */
  static boolean flows(ImmutableList<At> members, At from, At to) {
    if (from.step().action() instanceof Action.Exchange exchange) {
      int receiver = members.indexOf(to);
      return exchange.sends().stream().anyMatch(send -> send.position() == receiver);
    }
    Action.IntraCall call = call(from);
    return switch (call.collective()) {
      case BROADCAST -> members.indexOf(from) == call.root();
      case SCATTER -> members.indexOf(from) == call.root();
      case REDUCE, GATHER -> members.indexOf(to) == call.root();
      default -> true;
    };
  }

  /** What {@code member} finds in its output, given what each step of the world read. */
  static NavigableMap<Long, Piece> result(
      ImmutableList<At> members, At member, List<List<NavigableMap<Long, Piece>>> read) {
    Action.IntraCall call = call(member);
    int position = members.indexOf(member);
    long length = call.output().length();
    return switch (call.collective()) {
      case ALL_REDUCE -> reduced(members, read, 0, length, member);
      case REDUCE_SCATTER -> reduced(members, read, position * length, length, member);
      case REDUCE ->
          position == call.root() ? reduced(members, read, 0, length, member) : new TreeMap<>();
      case BROADCAST -> input(members.get(call.root()), read, 0, length);
      case ALL_GATHER -> gathered(members, read, 0, length);
      case GATHER -> position == call.root() ? gathered(members, read, 0, length) : new TreeMap<>();
      case SCATTER -> input(members.get(call.root()), read, position * length, length);
      case ALL_TO_ALL -> gathered(members, read, position * (length / members.size()), length);
      default ->
          throw new PlanDefect(
              member + " calls " + call.collective() + ", which has no meaning here");
    };
  }

  /** What {@code receiver} gets from the member at {@code position} in a group of messages. */
  static NavigableMap<Long, Piece> received(
      ImmutableList<At> members,
      At receiver,
      int position,
      List<List<NavigableMap<Long, Piece>>> read) {
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

  private static NavigableMap<Long, Piece> reduced(
      ImmutableList<At> members,
      List<List<NavigableMap<Long, Piece>>> read,
      long from,
      long length,
      At where) {
    NavigableMap<Long, Piece> sum = null;
    for (At member : members) {
      NavigableMap<Long, Piece> operand = input(member, read, from, length);
      sum = sum == null ? operand : SymbolicMemory.combine(sum, operand, where);
    }
    return call(where).op() == ReduceOp.AVG ? divided(sum, members.size(), where) : sum;
  }

  private static NavigableMap<Long, Piece> divided(
      NavigableMap<Long, Piece> sum, int members, At where) {
    return SymbolicMemory.map(sum, value -> value.dividedBy(members, members, where));
  }

  private static NavigableMap<Long, Piece> gathered(
      ImmutableList<At> members,
      List<List<NavigableMap<Long, Piece>>> read,
      long from,
      long length) {
    NavigableMap<Long, Piece> all = new TreeMap<>();
    long share = length / members.size();
    for (int i = 0; i < members.size(); i++) {
      long at = i * share;
      input(members.get(i), read, from, share)
          .forEach((offset, piece) -> all.put(at + offset, piece));
    }
    return all;
  }

  private static NavigableMap<Long, Piece> input(
      At member, List<List<NavigableMap<Long, Piece>>> read, long from, long length) {
    if (call(member).input().length() < from + length) {
      throw new PlanDefect(
          member + " contributes " + call(member).input() + ", too short for its call");
    }
    return SymbolicMemory.slice(read.get(member.node()).get(0), from, length);
  }

  private static Action.IntraCall call(At at) {
    return (Action.IntraCall) at.step().action();
  }
}
