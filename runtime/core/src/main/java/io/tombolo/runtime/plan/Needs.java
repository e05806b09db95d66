// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.util.Set;

/**
 * What a cluster's library must declare to do its part of a call.
 *
 * @param primitives what it is asked for
 * @param pairs whether it is asked for sends and receives, which differ from member to member
 */
record Needs(
    Set<Primitive> primitives, DataType type, ReduceOp op, boolean hostOnly, boolean pairs) {

  /** What {@code call} needs inside a cluster that is one of several. */
  static Needs of(CollectiveCall call) {
    OperationRow row = call.collective().row();
    return new Needs(
        row.inside(),
        call.type(),
        call.reduction().inner(),
        call.reduction().hostOnly() || row.isHostOnly(),
        row.inside().contains(Primitive.SEND));
  }

  /** What {@code call} needs of a library that does all of it by {@code whole}. */
  static Needs ofWhole(CollectiveCall call, Primitive whole) {
    ReduceOp op = call.reduction() instanceof Reduction.By by ? by.op() : call.reduction().inner();
    boolean hostOnly = call.reduction().hostOnly();
    return new Needs(Set.of(whole), call.type(), op, hostOnly, false);
  }

  boolean metBy(Capabilities declared) {
    return !hostOnly
        && primitives.stream().allMatch(each -> supports(declared, each))
        && (!pairs || exchanges(declared));
  }

  private boolean supports(Capabilities declared, Primitive primitive) {
    return primitive.isReducing()
        ? declared.supports(primitive, type, op)
        : declared.supports(primitive, type);
  }

  /**
   * Sends and receives differ from member to member, so the library must be free in their order.
   */
  private static boolean exchanges(Capabilities declared) {
    return declared.has(Flag.GROUP)
        && !declared.has(Flag.SAME_ORDER_ONLY)
        && !declared.has(Flag.EQUAL_COUNTS_ONLY);
  }
}
