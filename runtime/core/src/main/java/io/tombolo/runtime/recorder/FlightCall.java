// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import java.util.Arrays;
import java.util.Optional;

/**
 * What was called, as all ranks must have it: of collectives, two ranks' are equal or one of them
 * is wrong.
 *
 * <p>In a record it is three words: {@code what}, of the codes of the operation, the type, the kind
 * of reduction and the operator, a byte each, then the root; the count; and {@code whom}, the peer,
 * then how many calls, then which way.
 *
 * @param collective the operation; of several calls made at once, the first one's
 * @param type of its elements
 * @param reduction how they combine
 * @param operator of those that are built in
 * @param root 0 where there is none
 * @param count of the vector or a block; 0 where each rank has counts of its own
 * @param calls how many were made as one operation
 * @param way of a message
 * @param peer of a message; −1 if there is none
 */
public record FlightCall(
    Collective collective,
    DataType type,
    Reduction.Kind reduction,
    Optional<ReduceOp> operator,
    int root,
    long count,
    int calls,
    Way way,
    int peer) {
  private static final int BYTE = 8;
  private static final int TYPE_AT = BYTE;
  private static final int REDUCTION_AT = 2 * BYTE;
  private static final int OPERATOR_AT = 3 * BYTE;
  private static final int ROOT_AT = 4 * BYTE;
  private static final int CALLS_AT = 4 * BYTE;
  private static final int WAY_AT = 7 * BYTE;
  private static final int MOST_CALLS = (1 << (3 * BYTE)) - 1;
  private static final int NOBODY = -1;

  /** Which way elements go between two ranks. */
  public enum Way {
    /** It is no message, or there are several. */
    NONE(0),
    /** To the peer. */
    SEND(1),
    /** From the peer. */
    RECEIVE(2),
    /** From this rank to itself. */
    KEEP(3);

    private final int code;

    Way(int code) {
      this.code = code;
    }
  }

  static long what(CollectiveCall call) {
    int operator =
        call.reduction() instanceof Reduction.By by ? by.op().code() : ReduceOp.SUM.code();
    return call.collective().code()
        | (long) call.type().code() << TYPE_AT
        | (long) call.reduction().kind().code() << REDUCTION_AT
        | (long) operator << OPERATOR_AT
        | (long) call.root() << ROOT_AT;
  }

  static long count(CollectiveCall call) {
    return call.layout() instanceof Layout.Pairwise pair
            && pair.sends() instanceof Layout.One out
            && pair.receives() instanceof Layout.One in
        ? Math.max(out.elements(), in.elements())
        : call.layout().agreedCount();
  }

  static long whom(CollectiveCall call, int calls) {
    int peer = NOBODY;
    Way way = Way.NONE;
    if (calls == 1
        && call.layout() instanceof Layout.Pairwise pair
        && pair.sends() instanceof Layout.One out
        && pair.receives() instanceof Layout.One in) {
      peer = out.rank();
      way = way(out, in);
    }
    return (peer & 0xFFFF_FFFFL)
        | (long) Math.min(calls, MOST_CALLS) << CALLS_AT
        | (long) way.code << WAY_AT;
  }

  private static Way way(Layout.One out, Layout.One in) {
    if (out.elements() > 0 && in.elements() > 0) {
      return Way.KEEP;
    }
    return out.elements() > 0 ? Way.SEND : Way.RECEIVE;
  }

  /** What the words say; empty if no writer of this version writes such. */
  static Optional<FlightCall> decode(long what, long count, long whom) {
    Optional<Collective> collective = Collective.ofCode(byteAt(what, 0));
    Optional<DataType> type =
        Arrays.stream(DataType.values())
            .filter(each -> each.code() == byteAt(what, TYPE_AT))
            .findFirst();
    Optional<Reduction.Kind> kind =
        Arrays.stream(Reduction.Kind.values())
            .filter(each -> each.code() == byteAt(what, REDUCTION_AT))
            .findFirst();
    Optional<ReduceOp> operator =
        Arrays.stream(ReduceOp.values())
            .filter(each -> each.code() == byteAt(what, OPERATOR_AT))
            .findFirst();
    int root = (int) (what >>> ROOT_AT);
    int calls = (int) (whom >>> CALLS_AT) & MOST_CALLS;
    Optional<Way> way =
        Arrays.stream(Way.values()).filter(each -> each.code == byteAt(whom, WAY_AT)).findFirst();
    if (collective.isEmpty() || type.isEmpty() || kind.isEmpty() || operator.isEmpty()) {
      return Optional.empty();
    }
    if (root < 0 || count < 0 || way.isEmpty() || (int) whom < NOBODY) {
      return Optional.empty();
    }
    return Optional.of(
        new FlightCall(
            collective.get(),
            type.get(),
            kind.get(),
            kind.get() == Reduction.Kind.BY ? operator : Optional.empty(),
            root,
            count,
            calls,
            way.get(),
            (int) whom));
  }

  private static int byteAt(long word, int shift) {
    return (int) (word >>> shift) & 0xFF;
  }

  /** As people read it: {@code all_reduce of 1024 f32 by sum}, {@code send of 8 f32 to rank 3}. */
  @Override
  public String toString() {
    return switch (way) {
      case SEND -> "send of " + count + " " + type.text() + " to rank " + peer;
      case RECEIVE -> "receive of " + count + " " + type.text() + " from rank " + peer;
      case KEEP -> "message of " + count + " " + type.text() + " to itself";
      case NONE -> several();
    };
  }

  private String several() {
    if (collective.isPointToPoint()) {
      return "exchange of " + calls + " messages";
    }
    return calls == 1 ? one() : "group of " + calls + ", first " + one();
  }

  private String one() {
    if (collective == Collective.BARRIER) {
      return collective.text();
    }
    String how =
        switch (reduction) {
          case NONE -> "";
          case BY -> operator.map(op -> " by " + op.text()).orElse("");
          case PRE_MULTIPLIED -> " by sum after multiplying";
          case USER_DEFINED -> " by the user's function";
        };
    return collective.text()
        + " of "
        + (collective.isUneven() ? "" : count + " ")
        + type.text()
        + how
        + (collective.isRooted() ? ", root " + root : "");
  }
}
