// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;

/**
 * What of a rank's device memory its NIC reads and writes by itself, and on the way to and from
 * whom; and what its device combines there. What is so reached is not staged. Where that memory is
 * the host's, all channels reach it, and the host engine combines in it.
 *
 * <p>This is each rank's own business, as it is whether a call is in place: a message is the same
 * on the wire wherever it lies, so ranks that differ in it plan programs that fit together.
 *
 * @param sends ranks for which the NIC reads there what is sent to them
 * @param receives ranks for which it writes there what comes from them
 * @param input whether the caller's input is reached
 * @param output whether the caller's output is reached
 * @param combinesFromBytes from how many bytes on pieces are combined there; {@link #NEVER}
 */
public record Reach(
    ImmutableSet<Integer> sends,
    ImmutableSet<Integer> receives,
    boolean input,
    boolean output,
    long combinesFromBytes) {
  /** The host combines, on the stage. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Nothing is reached: all goes by the stage. */
  public static final Reach NONE =
      new Reach(ImmutableSet.of(), ImmutableSet.of(), false, false, NEVER);

  /** Whether nothing is reached on any way. */
  public boolean isNone() {
    return sends.isEmpty() && receives.isEmpty();
  }

  /** The same ways, to memory of which this is reached. */
  public Reach to(boolean reachedInput, boolean reachedOutput) {
    return reachedInput == input && reachedOutput == output // as most are: it makes no garbage
        ? this
        : new Reach(sends, receives, reachedInput, reachedOutput, combinesFromBytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Reach reach
        && input == reach.input
        && output == reach.output
        && combinesFromBytes == reach.combinesFromBytes
        && sends.equals(reach.sends)
        && receives.equals(reach.receives);
  }

  @Override
  public int hashCode() {
    int hash = sends.hashCode();
    hash = 31 * hash + receives.hashCode();
    hash = 31 * hash + Boolean.hashCode(input);
    hash = 31 * hash + Boolean.hashCode(output);
    return 31 * hash + Long.hashCode(combinesFromBytes);
  }

  /** Whether a message to {@code peer} may lie in {@code space}. */
  boolean sendsFrom(Space space, int peer) {
    return space == Space.STAGE || (covers(space) && sends.contains(peer));
  }

  /** Whether a message from {@code peer} may be received into {@code space}. */
  boolean receivesInto(Space space, int peer) {
    return space == Space.STAGE || (covers(space) && receives.contains(peer));
  }

  private boolean covers(Space space) {
    return switch (space) {
      case INPUT -> input;
      case OUTPUT -> output;
      case STAGE, SCRATCH -> true;
    };
  }
}
