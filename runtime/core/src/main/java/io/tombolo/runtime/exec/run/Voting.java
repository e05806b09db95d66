// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.vote.CallCheck;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Takes the votes on the operations in flight, and says what else goes wrong meanwhile only when
 * they have decided: what fails before all calls are known to agree may only suffer from a
 * mismatch. Used by one thread at a time, as the agent sees to.
 */
final class Voting {
  private final CallCheck check;
  private final InFlight inFlight;
  private Consumer<TomboloException> onPeerGone;
  private Optional<TomboloException> suspended = Optional.empty();

  /** Whether a peer has gone without its word on the call that is voted on. */
  private boolean lacksWord;

  /** {@code onPeerGone} is told of peers until {@link #onPeerGone} has another told. */
  Voting(CallCheck check, InFlight inFlight, Consumer<TomboloException> onPeerGone) {
    this.check = check;
    this.inFlight = inFlight;
    this.onPeerGone = onPeerGone;
  }

  /** As {@link Executor#onPeerGone}. */
  void onPeerGone(Consumer<TomboloException> listener) {
    onPeerGone = listener;
  }

  /**
   * A peer that goes while nothing is under way has left in order. What callers have carried out
   * themselves may still be listed here then: the peers knew of its end before this thread. A call
   * that lacks its word fails once the earlier ones, on which all have agreed, have ended.
   */
  int work() {
    int done = 0;
    try {
      done = check.work() + vote();
    } catch (PeerFailedException gone) {
      lacksWord = true;
      inFlight.finish();
      if (inFlight.isEmpty()) {
        return 1;
      }
      if (suspended.isPresent() || !check.agreed(inFlight.oldest().sequence())) {
        throw gone;
      }
    }
    for (PeerFailedException gone = check.nextGone(); gone != null; gone = check.nextGone()) {
      inFlight.finish();
      onGone(gone);
    }
    return done;
  }

  /** What all have agreed on may end here after a peer has ended it there, and has left. */
  private void onGone(PeerFailedException gone) {
    if (!inFlight.isEmpty()) {
      onPeerGone.accept(gone.during(inFlight.oldest().describe()));
    }
  }

  /** Votes are taken one after the other, ahead of the operations. */
  private int vote() {
    if (!check.isIdle()) {
      return 0;
    }
    for (int i = 0; i < inFlight.size(); i++) {
      InFlightOperation entry = inFlight.get(i);
      if (!check.hasBegun(entry.operation().sequence())) {
        if (!mayVote(entry.operation()) || !check.hasRoom(entry.operation().sequence())) {
          return 0;
        }
        check.begin(entry.operation());
        return 1;
      }
    }
    raiseSuspended(); // all calls agree, so it was no mismatch of calls
    return 0;
  }

  /**
   * A barrier has nothing to move: the vote is where the ranks meet, so none votes before its
   * stream is there.
   */
  private static boolean mayVote(SubmittedOperation operation) {
    return operation.hasBegun() || !operation.meets();
  }

  /** Has {@code failed} wait for the vote, which decides, and names both calls of a mismatch. */
  void suspend(TomboloException failed) {
    suspended = Optional.of(failed);
  }

  /** Whether a failure waits for the vote: nothing is run till then. */
  boolean hasSuspended() {
    return suspended.isPresent();
  }

  /** Throws the failure that waits for the vote, if one does. */
  void raiseSuspended() {
    if (suspended.isPresent()) {
      throw suspended.get();
    }
  }

  /** Whether nothing may run that is not agreed on: a peer has gone without its word. */
  boolean lacksWord() {
    return lacksWord;
  }
}
