package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Collective;
import io.tombolo.base.ReduceOp;

/** What one step of a plan does. */
public sealed interface Action {

  /** What it reads. */
  ImmutableList<Range> reads();

  /** What it writes. */
  ImmutableList<Range> writes();

  /**
   * A call of the vendor's library inside the cluster. All members make it, with their own view of
   * the same elements.
   *
   * @param collective the vendor's operation
   * @param input this member's contribution
   * @param output where this member gets the result; empty on members that get none
   * @param op how elements combine; ignored by moves
   * @param root position of the root in the cluster; 0 for operations without one
   */
  record IntraCall(Collective collective, Range input, Range output, ReduceOp op, int root)
      implements Action {
    @Override
    public ImmutableList<Range> reads() {
      return ImmutableList.of(input);
    }

    @Override
    public ImmutableList<Range> writes() {
      return ImmutableList.of(output);
    }

    @Override
    public String toString() {
      return collective.text() + " " + input + " → " + output + " in the cluster, root " + root;
    }
  }

  /** A copy between device and stage, or within the device, by the device's own engine. */
  record Copy(Range from, Range to) implements Action {
    @Override
    public ImmutableList<Range> reads() {
      return ImmutableList.of(from);
    }

    @Override
    public ImmutableList<Range> writes() {
      return ImmutableList.of(to);
    }

    @Override
    public String toString() {
      return "copy " + from + " → " + to;
    }
  }

  /**
   * A message to a rank of another cluster; the n-th to a peer meets the peer's n-th receive from
   * here.
   */
  record Send(int peer, Range from, long key) implements Action {
    @Override
    public ImmutableList<Range> reads() {
      return ImmutableList.of(from);
    }

    @Override
    public ImmutableList<Range> writes() {
      return ImmutableList.of();
    }

    @Override
    public String toString() {
      return "send " + from + " to rank " + peer;
    }
  }

  /** A message from a rank of another cluster. */
  record Receive(int peer, Range to, long key) implements Action {
    @Override
    public ImmutableList<Range> reads() {
      return ImmutableList.of();
    }

    @Override
    public ImmutableList<Range> writes() {
      return ImmutableList.of(to);
    }

    @Override
    public String toString() {
      return "receive " + to + " from rank " + peer;
    }
  }

  /** {@code into[i] = left[i] op right[i]}; {@code into} may be either operand. */
  record Combine(Range left, Range right, Range into, ReduceOp op) implements Action {
    @Override
    public ImmutableList<Range> reads() {
      return ImmutableList.of(left, right);
    }

    @Override
    public ImmutableList<Range> writes() {
      return ImmutableList.of(into);
    }

    @Override
    public String toString() {
      return into + " = " + left + " " + op.text() + " " + right;
    }
  }

  /** {@code range[i] = range[i] / divisor}: the last step of an average. */
  record Divide(Range range, int divisor) implements Action {
    @Override
    public ImmutableList<Range> reads() {
      return ImmutableList.of(range);
    }

    @Override
    public ImmutableList<Range> writes() {
      return ImmutableList.of(range);
    }

    @Override
    public String toString() {
      return range + " = " + range + " / " + divisor;
    }
  }
}
