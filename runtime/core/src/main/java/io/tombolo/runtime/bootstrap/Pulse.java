// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.runtime.store.Store;
import java.util.Optional;

/**
 * What the store shows of one rank's life to somebody who is no rank of the job.
 *
 * @param process where its process is, for messages
 * @param host what people call its host
 * @param beats how often it has said that it lives; two looks tell whether it does so still
 * @param periodMs how long after one beat the next comes; 0 if none does
 * @param calls how many calls it had made at its last beat
 * @param state what is seen of its process
 */
public record Pulse(
    String process, String host, long beats, long periodMs, long calls, State state) {

  /** What is seen of a process. */
  public enum State {
    /** It is on another host, where it cannot be looked for. */
    ELSEWHERE,
    /** It is there. */
    LIVES,
    /** A signal has stopped it. */
    STOPPED,
    /** It is there no more. */
    ENDED
  }

  /** That of {@code rank} in {@code place}; none before it has joined, or once it has left. */
  static Optional<Pulse> of(Store place, int rank) {
    Optional<byte[]> beat = place.get(Heartbeat.beatOf(rank));
    Optional<byte[]> claim = place.get(JobRound.claimOf(rank));
    return beat.isEmpty() || claim.isEmpty()
        ? Optional.empty()
        : Optional.of(of(Beat.decode(beat.get(), rank), RankClaim.decode(claim.get(), rank)));
  }

  private static Pulse of(Beat beat, RankClaim claim) {
    return new Pulse(
        claim.where(), beat.host(), beat.number(), beat.periodMs(), beat.calls(), state(claim));
  }

  private static State state(RankClaim claim) {
    if (!claim.isNear()) {
      return State.ELSEWHERE;
    }
    if (claim.isGone()) {
      return State.ENDED;
    }
    return claim.isStopped() ? State.STOPPED : State.LIVES;
  }
}
