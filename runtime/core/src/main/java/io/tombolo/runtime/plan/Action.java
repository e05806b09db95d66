// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.util.List;

/** What one step of a plan does. */
public sealed interface Action {

  /** What it reads. */
  ImmutableList<Range> reads();

  /** What it writes. */
  ImmutableList<Range> writes();

  /** Elements it hands to the vendor's library as contributions. */
  default long intraElements() {
    return 0;
  }

  /** Elements it sends to another cluster, or to a rank that stands for itself. */
  default long crossElements() {
    return 0;
  }

  /**
   * A call of a library by all its members, with their own view of the same elements: of the
   * vendor's by the ranks of the cluster, or of the host library by all ranks.
   *
   * @param primitive the vendor's operation
   * @param input this member's contribution
   * @param output where this member gets the result; empty on members that get none
   * @param op how elements combine; ignored by moves
   * @param root position of the root among the members; 0 for operations without one
   * @param members who they are
   */
  record IntraCall(
      Primitive primitive, Range input, Range output, ReduceOp op, int root, Members members)
      implements Action {
    /** A call of the vendor's library. */
    IntraCall(Primitive primitive, Range input, Range output, ReduceOp op, int root) {
      this(primitive, input, output, op, root, Members.CLUSTER);
    }

    @Override
    public ImmutableList<Range> reads() {
      return ImmutableList.of(input);
    }

    @Override
    public ImmutableList<Range> writes() {
      return ImmutableList.of(output);
    }

    @Override
    public long intraElements() {
      return input.length();
    }

    @Override
    public String toString() {
      String where =
          switch (members) {
            case CLUSTER -> " in the cluster, root ";
            case EVERYONE -> " by the host library, root ";
          };
      return primitive.text() + " " + input + " → " + output + where + root;
    }
  }

  /** Who makes a call of a library together. */
  enum Members {
    /** The ranks of the cluster, of its vendor's library. */
    CLUSTER,
    /** All ranks, whatever their vendors, of the host library. */
    EVERYONE
  }

  /** A block for, or from, the member at {@code position} of the cluster. */
  record Transfer(int position, Range range) {
    @Override
    public String toString() {
      return range + " ↔ member " + position;
    }
  }

  /**
   * Sends and receives among the members of a cluster, grouped into one launch of the vendor's
   * library. All members make it, if only with nothing to send or receive.
   *
   * @param sends at most one to each member
   * @param receives at most one from each member
   */
  record Exchange(ImmutableList<Transfer> sends, ImmutableList<Transfer> receives)
      implements Action {
    static Exchange of(List<Transfer> sends, List<Transfer> receives) {
      return new Exchange(ImmutableList.copyOf(sends), ImmutableList.copyOf(receives));
    }

    @Override
    public ImmutableList<Range> reads() {
      return sends.stream().map(Transfer::range).collect(ImmutableList.toImmutableList());
    }

    @Override
    public ImmutableList<Range> writes() {
      return receives.stream().map(Transfer::range).collect(ImmutableList.toImmutableList());
    }

    @Override
    public long intraElements() {
      return sends.stream().mapToLong(transfer -> transfer.range().length()).sum();
    }

    @Override
    public String toString() {
      return "exchange in the cluster: send " + sends + ", receive " + receives;
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
    public long crossElements() {
      return from.length();
    }

    @Override
    public String toString() {
      return "send " + from + " to rank " + peer;
    }
  }

  /**
   * A message from a rank of another cluster; in device memory, to be {@linkplain Flush flushed}.
   */
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

  /**
   * Makes what NICs have written to {@code range} of the device's memory visible to the device. It
   * touches the range as one who reads and writes it does: it comes after the message, and before
   * whoever works with it.
   */
  record Flush(Range range) implements Action {
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
      return "flush " + range;
    }
  }

  /** {@code into[i] = left[i] op right[i]}; {@code into} may be either operand. */
  record Combine(Range left, Range right, Range into, Reduction reduction) implements Action {
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
      return into + " = " + left + " and " + right + reduction;
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

  /** {@code range[i] = range[i] × factor}: the first step of a pre-multiplied sum. */
  record Scale(Range range, double factor) implements Action {
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
      return range + " = " + range + " × " + factor;
    }
  }
}
