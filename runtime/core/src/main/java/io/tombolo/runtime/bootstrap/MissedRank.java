// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.runtime.store.Store;
import java.time.Duration;

/** What the others know of a rank that they miss: its process, its host and the last it said. */
public final class MissedRank {
  /** A process that is killed ends its connections a moment before it is seen to have ended. */
  public static final Duration DYING = Duration.ofSeconds(1);

  private final int rank;
  private final RankClaim claim;
  private final Beat beat;

  MissedRank(int rank, RankClaim claim, Beat beat) {
    this.rank = rank;
    this.claim = claim;
    this.beat = beat;
  }

  /** That of {@code rank}, whose process {@code claim} says, in {@code place}, where ranks meet. */
  public static MissedRank of(Store place, int rank, RankClaim claim) {
    Beat beat =
        place
            .get(Heartbeat.beatOf(rank))
            .map(bytes -> Beat.decode(bytes, rank))
            .orElse(Beat.none(Duration.ZERO));
    return new MissedRank(rank, claim, beat);
  }

  /** How it failed if its process is seen to have ended. */
  public String ended() {
    return told(beat.isNone() ? "does not come" : "is gone", "its process has ended");
  }

  /** How it is missed if only its connection is seen to fail. */
  public String unreached() {
    return told("is missed", "its connection failed");
  }

  /** That it {@code failed}, and {@code why}. */
  String told(String failed, String why) {
    return "rank %s (%s%s) %s: %s; %s"
        .formatted(
            rank,
            claim.where(),
            beat.isNone() ? "" : ", called " + beat.host(),
            failed,
            why,
            beat.isNone()
                ? "it had just begun to join"
                : "the last it said was that it had made " + beat.calls() + " calls");
  }
}
