// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.List;

/** Vendors' operations in numbers: what one member gets out of what all members gave. */
final class LooseVendor {
  private LooseVendor() {}

  /** Whether the member at {@code to} cannot end before the one at {@code from} has come. */
  static boolean needs(Action.IntraCall call, int from, int to) {
    return switch (call.primitive()) {
      case BROADCAST, SCATTER -> from == call.root();
      case REDUCE, GATHER -> to == call.root();
      case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, SEND, RECEIVE -> true;
    };
  }

  /** The output of the member at {@code position}; {@code given} is empty where not needed. */
  static long[] result(Action.IntraCall call, int position, List<long[]> given) {
    int members = given.size();
    int length = (int) call.output().length();
    long[] result = new long[length];
    for (int i = 0; i < length; i++) {
      int share = length / members;
      result[i] =
          switch (call.primitive()) {
            case ALL_REDUCE, REDUCE -> reduced(call, given, i);
            case REDUCE_SCATTER -> reduced(call, given, position * length + i);
            case BROADCAST -> given.get(call.root())[i];
            case SCATTER -> given.get(call.root())[position * length + i];
            case ALL_GATHER, GATHER -> given.get(i / share)[i % share];
            case ALL_TO_ALL -> given.get(i / share)[position * share + i % share];
            case SEND, RECEIVE -> throw new IllegalStateException("no vendor call: " + call);
          };
    }
    return result;
  }

  /**
   * Members must make one call of one size: libraries hang or worse where they do not.
   *
   * @param calls the members' views of it, in their order
   */
  static boolean isOneCall(List<Action.IntraCall> calls) {
    Action.IntraCall first = calls.get(0);
    long count = count(first);
    for (int member = 0; member < calls.size(); member++) {
      Action.IntraCall call = calls.get(member);
      boolean atRoot = member == call.root();
      long in = call.input().length();
      long out = call.output().length();
      boolean sized =
          switch (call.primitive()) {
            case REDUCE -> out == (atRoot ? count : 0);
            case BROADCAST -> in == (atRoot ? count : 0);
            case GATHER -> out == (atRoot ? calls.size() * count : 0);
            case SCATTER -> in == (atRoot ? calls.size() * count : 0);
            case ALL_GATHER -> out == calls.size() * count;
            case REDUCE_SCATTER -> in == calls.size() * count;
            case ALL_REDUCE -> in == out;
            case ALL_TO_ALL -> in == out && in % calls.size() == 0;
            case SEND, RECEIVE -> false;
          };
      if (!sized
          || call.primitive() != first.primitive()
          || call.op() != first.op()
          || call.root() != first.root()
          || count(call) != count) {
        return false;
      }
    }
    return true;
  }

  private static long count(Action.IntraCall call) {
    return switch (call.primitive()) {
      case BROADCAST, SCATTER, REDUCE_SCATTER -> call.output().length();
      case ALL_REDUCE, REDUCE, ALL_GATHER, ALL_TO_ALL, GATHER, SEND, RECEIVE ->
          call.input().length();
    };
  }

  private static long reduced(Action.IntraCall call, List<long[]> given, int index) {
    long sum = given.get(0)[index];
    for (long[] each : given.subList(1, given.size())) {
      sum = CallOracle.combined(call.op(), sum, each[index]);
    }
    return call.op() == io.tombolo.base.ReduceOp.AVG ? sum / given.size() : sum;
  }
}
