package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;

/**
 * What of a rank's device memory its NIC reads and writes by itself, and on the way to whom. What
 * is so reached is not staged.
 *
 * <p>This is each rank's own business, as it is whether a call is in place: a message is the same
 * on the wire wherever it lies, so ranks that differ in it plan programs that fit together.
 *
 * @param peers ranks to which the way goes through that NIC
 * @param input whether the caller's input is reached
 * @param output whether the caller's output is reached
 */
public record Reach(ImmutableSet<Integer> peers, boolean input, boolean output) {
  /** Nothing is reached: all goes by the stage. */
  public static final Reach NONE = new Reach(ImmutableSet.of(), false, false);

  /** Whether messages may lie in {@code space}. */
  boolean covers(Space space) {
    return switch (space) {
      case STAGE -> true;
      case INPUT -> input;
      case OUTPUT -> output;
      case SCRATCH -> !peers.isEmpty();
    };
  }

  /** Whether a message to or from {@code peer} may lie in {@code range}. */
  boolean covers(int peer, Range range) {
    return peers.contains(peer) && covers(range.space());
  }
}
