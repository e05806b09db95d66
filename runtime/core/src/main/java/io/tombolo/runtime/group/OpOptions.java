// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.group;

import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * What a call is told besides its tensors: c10d's options. c10d has a struct for each operation; as
 * several have the same members, there are four here.
 */
public sealed interface OpOptions {
  /** How long the operation may take once its stream reached it; else the group's timeout. */
  Optional<Duration> timeout();

  /**
   * Whether the tensors' stream goes on at once. It then waits where {@link GroupWork#synchronize}
   * is called; else it waits for the end right behind the call.
   */
  boolean asyncOp();

  /** As the communicator takes them. */
  default CallOptions forCall(Optional<Duration> standard) {
    return new CallOptions(
        timeout().or(() -> standard), !asyncOp(), false, CallOptions.Returns.AT_ONCE);
  }

  /** Of all_gather, all_to_all, barrier, send and recv. */
  record Plain(Optional<Duration> timeout, boolean asyncOp) implements OpOptions {
    /** The group's timeout, in stream order. */
    public static final Plain STANDARD = new Plain(Optional.empty(), false);
  }

  /**
   * Of all_reduce and reduce_scatter.
   *
   * @param reduceOp how elements combine
   */
  record Reducing(Reduction reduceOp, Optional<Duration> timeout, boolean asyncOp)
      implements OpOptions {
    /** Combines by {@code op}, with the group's timeout, in stream order. */
    public static Reducing by(ReduceOp op) {
      return new Reducing(new Reduction.By(op), Optional.empty(), false);
    }
  }

  /**
   * Of broadcast, gather and scatter.
   *
   * @param rootRank the rank that alone sends or receives
   */
  record Rooted(int rootRank, Optional<Duration> timeout, boolean asyncOp) implements OpOptions {
    /** With the group's timeout, in stream order. */
    public static Rooted at(int rootRank) {
      return new Rooted(rootRank, Optional.empty(), false);
    }
  }

  /**
   * Of reduce.
   *
   * @param reduceOp how elements combine
   * @param rootRank the rank that alone gets the result
   */
  record RootedReducing(
      Reduction reduceOp, int rootRank, Optional<Duration> timeout, boolean asyncOp)
      implements OpOptions {
    /** Combines by {@code op} at {@code rootRank}, with the group's timeout, in stream order. */
    public static RootedReducing by(ReduceOp op, int rootRank) {
      return new RootedReducing(new Reduction.By(op), rootRank, Optional.empty(), false);
    }
  }
}
