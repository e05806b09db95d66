// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

/**
 * Which rails this side can go on over, as far as it knows: a bit each.
 *
 * <p>That a rail has stalled is an opinion, from what one direction of it does: both sides may have
 * one at the same time, of different rails. Where nothing would be left, that of one side counts.
 */
final class LiveRails {
  private final boolean yields;
  private int begun;
  private int live;
  private int doubted;
  private int stalled;

  /** So many rails; {@code yields}: this side's opinion gives way to the peer's. */
  LiveRails(int rails, boolean yields) {
    this.yields = yields;
    live = (1 << rails) - 1;
  }

  /** Those of this side. */
  int bits() {
    return live;
  }

  /** Those that the epoch began with. */
  int begun() {
    return begun;
  }

  /** An epoch begins. */
  void begin() {
    begun = live;
    doubted = 0;
    stalled = 0;
  }

  /** Whether {@code rail} may carry something. */
  boolean has(int rail) {
    return (live & ~doubted & 1 << rail) != 0;
  }

  /** Whether none is left that may. */
  boolean isHopeless() {
    return (live & ~doubted) == 0;
  }

  /** The rail has failed here. */
  void lose(int rail) {
    live &= ~(1 << rail);
  }

  /** The rail carries nothing, the receiver says. */
  void stall(int rail) {
    stalled = 1 << rail;
    lose(rail);
  }

  /** What this side says of the end of the epoch. */
  byte lastWord() {
    return stalled != 0 ? ControlWord.STALLED : ControlWord.STOP;
  }

  /** The rail has failed here when the peer may have closed its end. */
  void doubt(int rail) {
    doubted |= 1 << rail;
  }

  /** What the peer has lost of this side's. */
  int lostIn(ControlWord word) {
    return live & ~word.live();
  }

  /** Takes the peer's last word of the epoch; whether both have a rail to go on over. */
  boolean settle(ControlWord word) {
    boolean isPeersOpinion = word.type() == ControlWord.STALLED;
    boolean isOwnOpinion = stalled != 0;
    boolean areBothLeft = live != 0 && word.live() != 0;
    if ((live & word.live()) != 0 || !areBothLeft || !(isPeersOpinion || isOwnOpinion)) {
      return (live & word.live()) != 0;
    }
    if (isOwnOpinion && (yields || !isPeersOpinion)) {
      live |= stalled;
    }
    return true; // the peer takes its opinion back, unless this side has
  }

  /** Takes what the peer can go on over; how many both can. */
  int share(int theirs) {
    live &= theirs;
    return Integer.bitCount(live);
  }
}
