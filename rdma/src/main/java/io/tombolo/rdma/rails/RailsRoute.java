// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.staged.Joined;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * The rails between this process and a peer.
 *
 * @param rails this side's
 * @param call the peer's, and which of these belong together
 * @param joined the connection whose two ends have proved themselves
 */
record RailsRoute(ImmutableList<GuardedRail> rails, RailsMedium.Call call, Joined joined) {
  private static final int LEAST_STRIPE_BYTES = 4096;

  /** What a stripe carries at most: both sides find the same. */
  int stripeBytes() {
    return Math.max(LEAST_STRIPE_BYTES, joined.geometry().payloadBytes());
  }

  ImmutableList<RailPair> pairs() {
    return call.pairs();
  }

  /** How many pairs there are. */
  int count() {
    return pairs().size();
  }

  /** When the channel must be open. */
  Deadline deadline() {
    return call.deadline();
  }

  /** What the channel's user gave it to open, and what it gives to a recovery. */
  Duration budget() {
    return Duration.ofNanos(deadline().budgetNs());
  }

  /** A rail that does not open leaves the others time enough. */
  Duration openingBudget() {
    return budget().dividedBy(2);
  }

  /** Checks the peer's first word: whether both sides cut messages alike. */
  void check(ControlWord word, ByteBuffer ranges) {
    if (word.type() != ControlWord.PAIRS || word.epoch() != 0) {
      throw new CorruptException("the peer says " + word.type() + " before its pairs of rails");
    }
    boolean isSame = word.count() == count() && word.received() == stripeBytes();
    for (int pair = 0; pair < count() && isSame; pair++) {
      isSame = pairs().get(pair).isAlsoIn(ranges);
    }
    if (!isSame) {
      throw new MismatchException(
          "the peer pairs "
              + word.count()
              + " rails, with stripes of "
              + word.received()
              + " bytes, otherwise than this side, which has "
              + pairs()
              + " with "
              + stripeBytes()
              + "; see which devices the ranks name in their logs, and set TOMBOLO_RDMA_RAILS=1 if"
              + " these cannot all reach each other");
    }
  }

  /** Turns of those pairs that {@code live}, a bit for each. */
  WeightedTurns turns(int live) {
    int[] weights = new int[count()];
    for (int pair = 0; pair < count(); pair++) {
      weights[pair] = (live & 1 << pair) != 0 ? pairs().get(pair).weight() : 0;
    }
    return new WeightedTurns(weights);
  }

  /** Begins to open the channel over {@code pair} that carries {@code epoch}'s stripes. */
  Channel connect(int pair, int epoch, Deadline deadline) {
    byte[] theirs = call.address().rails().get(pairs().get(pair).theirs()).address();
    return ours(pair).rail().fabric().connect(joined.peer(), theirs, numberIn(epoch), deadline);
  }

  private GuardedRail ours(int pair) {
    return rails.get(pairs().get(pair).ours());
  }

  /** What the fabric of this side's rail has failed with, if it has. */
  Optional<TomboloException> failureOf(int pair) {
    return ours(pair).failure();
  }

  /**
   * The number of the rails' channels in {@code epoch}: scattered (SplitMix64), so that no other
   * channel of these two ranks has it but by a chance of 2<sup>-64</sup>.
   */
  private long numberIn(int epoch) {
    long mixed = joined.channelId() + epoch * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return epoch == 0 ? joined.channelId() : mixed ^ (mixed >>> 31);
  }

  /** As errors name a rail. */
  String nameOf(int pair) {
    return "rail " + pairs().get(pair).ours() + " (" + ours(pair).rail().nic() + ")";
  }

  /** As logs and errors name the whole. */
  String name() {
    return "channel "
        + joined.channelId()
        + " to rank "
        + joined.peer()
        + " over "
        + ours(0).rail().fabric().name();
  }
}
