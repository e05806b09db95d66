// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Set;

/**
 * What a collective library is declared to do right. What is not declared is never called: the
 * planner goes round it.
 *
 * @param primitives what it may be asked for
 * @param types element types, for every one of the primitives
 * @param reduceOps operators, for every one of the types that they apply to
 * @param flags how the library behaves
 */
public record Capabilities(
    ImmutableSet<Primitive> primitives,
    ImmutableSet<DataType> types,
    ImmutableSet<ReduceOp> reduceOps,
    ImmutableSet<Flag> flags) {
  /** What has to be heeded as soon as one member's library is so; the others are abilities. */
  private static final ImmutableSet<Flag> NEEDS =
      ImmutableSet.of(
          Flag.MISMATCH_IS_FATAL,
          Flag.EQUAL_COUNTS_ONLY,
          Flag.SAME_ORDER_ONLY,
          Flag.SAME_ARCHITECTURE_ONLY,
          Flag.ONE_HOST_ONLY);

  /** Puts each set in order, so that equal declarations are also written alike. */
  public Capabilities {
    primitives = Sets.immutableEnumSet(primitives);
    types = Sets.immutableEnumSet(types);
    reduceOps = Sets.immutableEnumSet(reduceOps);
    flags = Sets.immutableEnumSet(flags);
  }

  /** How a library behaves where libraries differ. */
  public enum Flag {
    /** A communicator can be aborted from another thread while a call is stuck. */
    ABORT,
    /** Failures after the call are reported by a query. */
    ASYNC_ERROR,
    /** Calls can be grouped into one launch. */
    GROUP,
    /** Calls return only when the operation is complete, and ignore the stream. */
    BLOCKING_CALLS,
    /** Same inputs give the same bits, run to run. */
    DETERMINISTIC,
    /**
     * Ranks that disagree about a call crash or corrupt: agree before calling. Where an abort ends
     * what comes of it, and a user has not asked for more, a whole call may go ahead of the votes.
     */
    MISMATCH_IS_FATAL,
    /**
     * Operations are compiled ahead for one shape: every member brings the same number of elements,
     * and sends and receives pair up evenly. Uneven ones are for the caller to pad.
     */
    EQUAL_COUNTS_ONLY,
    /**
     * Operations are scheduled ahead in one order: members that make the same calls in different
     * orders, also on different communicators of one device, wait for each other for ever.
     */
    SAME_ORDER_ONLY,
    /** A communicator joins devices of one architecture only; see {@code topology}'s clusters. */
    SAME_ARCHITECTURE_ONLY,
    /** A communicator joins processes of one host only; see {@code topology}'s clusters. */
    ONE_HOST_ONLY,
    /**
     * The library has memory that all members register at once; calls whose buffers lie in it are
     * made without copies on the way. Not for what NCCL calls so: there each member registers its
     * own for itself.
     */
    REGISTERED_BUFFERS,
    /** Its ranks' memory is the host's: whatever runs on the host may read and write it. */
    HOST_MEMORY
  }

  /**
   * Whether {@code primitive} on elements of {@code type} is declared; moves only need the type.
   */
  public boolean supports(Primitive primitive, DataType type) {
    return primitives.contains(primitive) && types.contains(type);
  }

  /** Whether the reducing {@code primitive} with {@code op} is declared for {@code type}. */
  public boolean supports(Primitive primitive, DataType type, ReduceOp op) {
    return supports(primitive, type) && reduceOps.contains(op) && op.appliesTo(type);
  }

  /** Whether the library behaves as {@code flag} says. */
  public boolean has(Flag flag) {
    return flags.contains(flag);
  }

  /**
   * What members of one cluster can rely on whose libraries differ, in version for example: what
   * both declare, and the needs of both.
   */
  public Capabilities with(Capabilities other) {
    Set<Flag> needs = Sets.filter(Sets.union(flags, other.flags), NEEDS::contains);
    return new Capabilities(
        Sets.intersection(primitives, other.primitives).immutableCopy(),
        Sets.intersection(types, other.types).immutableCopy(),
        Sets.intersection(reduceOps, other.reduceOps).immutableCopy(),
        Sets.union(Sets.intersection(flags, other.flags), needs).immutableCopy());
  }

  /** The same without {@code missing} operations. */
  public Capabilities without(Set<Primitive> missing) {
    return new Capabilities(
        Sets.difference(primitives, missing).immutableCopy(), types, reduceOps, flags);
  }

  /** The same without {@code flag}. */
  public Capabilities withoutFlag(Flag flag) {
    return new Capabilities(
        primitives, types, reduceOps, Sets.difference(flags, Set.of(flag)).immutableCopy());
  }

  /** Declares the products of the given sets. */
  public static Capabilities of(
      Set<Primitive> primitives, Set<DataType> types, Set<ReduceOp> reduceOps, Set<Flag> flags) {
    return new Capabilities(
        ImmutableSet.copyOf(primitives),
        ImmutableSet.copyOf(types),
        ImmutableSet.copyOf(reduceOps),
        ImmutableSet.copyOf(flags));
  }
}
