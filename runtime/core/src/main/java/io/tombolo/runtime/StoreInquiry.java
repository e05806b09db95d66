// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Whether the job's store is there, and which processes are its ranks, asked on a thread of its
 * own: a store that says nothing holds up nobody, and one that answers late is still heard.
 */
final class StoreInquiry {
  /** A store that says nothing for so long is none. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final FutureTask<Map<Integer, Optional<RankClaim>>> asked;

  /** About {@code ranks} in {@code store}. */
  StoreInquiry(Store store, List<Integer> ranks) {
    asked =
        new FutureTask<>(
            () -> {
              Map<Integer, Optional<RankClaim>> claims = new HashMap<>();
              ranks.forEach(rank -> claims.put(rank, JobRound.claim(store, rank)));
              return claims;
            });
    Thread thread = new Thread(asked, "tombolo-store-inquiry");
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether it answers in time. */
  boolean isStoreThere() {
    return claims(LIMIT).isPresent();
  }

  /**
   * Whether the process of {@code rank} is seen to have ended, or to have left well: then it has
   * taken its claim away, as all had claimed their ranks. False as long as nobody knows.
   */
  boolean isGone(int rank) {
    return claims(Duration.ZERO)
        .map(claims -> claims.get(rank).map(claim -> claim.isNear() && claim.isGone()).orElse(true))
        .orElse(false);
  }

  /** Which process {@code rank} is, as far as the store has said by now. */
  Optional<RankClaim> claim(int rank) {
    return claims(Duration.ZERO).flatMap(claims -> claims.get(rank));
  }

  private Optional<Map<Integer, Optional<RankClaim>>> claims(Duration limit) {
    try {
      return Optional.of(asked.get(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
