package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
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
    Action.IntraCall call = call(from);
    return switch (call.collective()) {
      case BROADCAST -> members.indexOf(from) == call.root();
      case REDUCE -> members.indexOf(to) == call.root();
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
      case ALL_GATHER -> gathered(members, read, length);
      default ->
          throw new PlanDefect(
              member + " calls " + call.collective() + ", which has no meaning here");
    };
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
      sum = sum == null ? operand : SymbolicMemory.combine(sum, operand, where.toString());
    }
    return sum;
  }

  private static NavigableMap<Long, Piece> gathered(
      ImmutableList<At> members, List<List<NavigableMap<Long, Piece>>> read, long length) {
    NavigableMap<Long, Piece> all = new TreeMap<>();
    long share = length / members.size();
    for (int i = 0; i < members.size(); i++) {
      long at = i * share;
      input(members.get(i), read, 0, share).forEach((offset, piece) -> all.put(at + offset, piece));
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
