package io.tombolo.runtime.plan;

import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.Set;

/**
 * What a cluster's library must declare to do its part of a call.
 *
 * @param collectives the operations it is asked for
 * @param pairs whether it is asked for sends and receives, which differ from member to member
 */
record Needs(
    Set<Collective> collectives, DataType type, ReduceOp op, boolean hostOnly, boolean pairs) {

  /** What {@code call} needs inside a cluster that is one of several. */
  static Needs of(CollectiveCall call) {
    Set<Collective> collectives =
        switch (call.collective().even()) {
          case ALL_REDUCE, REDUCE ->
              Set.of(
                  Collective.REDUCE_SCATTER,
                  Collective.REDUCE,
                  Collective.ALL_GATHER,
                  Collective.BROADCAST);
          case BROADCAST, ALL_GATHER -> Set.of(Collective.ALL_GATHER, Collective.BROADCAST);
          case REDUCE_SCATTER -> Set.of(Collective.REDUCE_SCATTER, Collective.REDUCE);
          default -> Set.of(Collective.SEND, Collective.RECEIVE);
        };
    return new Needs(
        collectives,
        call.type(),
        call.reduction().inner(),
        call.reduction().hostOnly() || call.collective() == Collective.EXCHANGE,
        collectives.contains(Collective.SEND));
  }

  /** What {@code call} needs of a library that does all of it in one call. */
  static Needs ofWhole(CollectiveCall call) {
    ReduceOp op = call.reduction() instanceof Reduction.By by ? by.op() : call.reduction().inner();
    boolean hostOnly = call.reduction().hostOnly();
    return new Needs(Set.of(call.collective()), call.type(), op, hostOnly, false);
  }

  boolean metBy(Capabilities declared) {
    return !hostOnly
        && collectives.stream().allMatch(each -> supports(declared, each))
        && (!pairs || exchanges(declared));
  }

  private boolean supports(Capabilities declared, Collective collective) {
    return collective.isReducing()
        ? declared.supports(collective, type, op)
        : declared.supports(collective, type);
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
