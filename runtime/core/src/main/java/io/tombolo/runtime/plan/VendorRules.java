// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.runtime.plan.Action.IntraCall;

/** What vendors' libraries demand of one member's buffers in a call. */
final class VendorRules {
  private VendorRules() {}

  /** The count that the library is given; it must be the same on all members. */
  static long count(IntraCall call) {
    return switch (call.primitive()) {
      case BROADCAST, REDUCE_SCATTER, SCATTER -> call.output().length();
      case ALL_REDUCE, REDUCE, ALL_GATHER, ALL_TO_ALL, GATHER, SEND, RECEIVE ->
          call.input().length();
    };
  }

  /** Whether the buffers have the lengths that follow from the count. */
  static boolean fits(IntraCall call, int position, int members) {
    long count = count(call);
    long in = call.input().length();
    long out = call.output().length();
    long atRoot = position == call.root() ? 1 : 0;
    return switch (call.primitive()) {
      case ALL_REDUCE -> out == count;
      case ALL_TO_ALL -> out == count && count % members == 0;
      case REDUCE -> out == count * atRoot;
      case BROADCAST -> in == count * atRoot;
      case REDUCE_SCATTER -> in == count * members;
      case ALL_GATHER -> out == count * members;
      case GATHER -> out == count * members * atRoot;
      case SCATTER -> in == count * members * atRoot;
      case SEND, RECEIVE -> false;
    };
  }

  /**
   * Whether input and output may share memory as they do: they are one, or the smaller is the
   * member's block of the larger.
   */
  static boolean worksInPlace(IntraCall call, int position) {
    Range in = call.input();
    Range out = call.output();
    return switch (call.primitive()) {
      case ALL_REDUCE, REDUCE, BROADCAST -> in.equals(out);
      case ALL_GATHER, GATHER -> in.offset() == out.offset() + position * in.length();
      case REDUCE_SCATTER, SCATTER -> out.offset() == in.offset() + position * out.length();
      case ALL_TO_ALL, SEND, RECEIVE -> false;
    };
  }
}
