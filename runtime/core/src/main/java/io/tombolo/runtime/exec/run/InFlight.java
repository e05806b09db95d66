// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.runtime.exec.submit.Completions;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.vote.CallCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The operations that have been taken in and have not ended, in the order of the calls: how they
 * come in, begin and end. Used by one thread at a time, as the agent sees to.
 */
final class InFlight {
  private final Duration timeout;
  private final SubmissionQueue submissions;
  private final Completions completions;
  private final CallCheck check;
  private final Libraries libraries;
  private final List<InFlightOperation> operations = new ArrayList<>();

  /** None yet; they have {@code timeout} if they do not say otherwise. */
  InFlight(Duration timeout, SubmissionQueue submissions, CallCheck check, Libraries libraries) {
    this.timeout = timeout;
    this.submissions = submissions;
    this.completions = submissions.completions();
    this.check = check;
    this.libraries = libraries;
  }

  boolean isEmpty() {
    return operations.isEmpty();
  }

  int size() {
    return operations.size();
  }

  /** The one at {@code place}, from 0 on. */
  InFlightOperation get(int place) {
    return operations.get(place);
  }

  /** The first; there must be one. */
  SubmittedOperation oldest() {
    return operations.get(0).operation();
  }

  /** Takes in the next one, if it is there; returns how many that were. */
  int takeIn() {
    if (!submissions.hasNext()) {
      return 0;
    }
    operations.add(new InFlightOperation(submissions.next()));
    return 1;
  }

  /** Operations begin in the order of the calls, so that an early stream does not time out. */
  int begin() {
    int begun = 0;
    for (int i = 0; i < operations.size(); i++) {
      InFlightOperation entry = operations.get(i);
      if (!entry.operation().hasBegun()) {
        if (!submissions.isReached(entry.operation())) {
          break;
        }
        entry.operation().begin(timeout);
        begun++;
      }
    }
    return begun;
  }

  /** Ends those that are done and agreed on; returns how many that were. */
  int finish() {
    int ended = 0;
    for (int i = 0; i < operations.size(); ) {
      InFlightOperation entry = operations.get(i);
      if (check.agreed(entry.operation().sequence()) && entry.isDone() && !isOnItsStream(entry)) {
        end(entry);
        operations.remove(i);
        ended++;
      } else {
        i++;
      }
    }
    return ended;
  }

  private void end(InFlightOperation entry) {
    if (entry.operation().isCallers() && !entry.operation().isOnStream()) {
      entry.raiseThrown();
    } else {
      libraries.check();
      completions.finish(entry.operation());
    }
  }

  /**
   * A library is called on one stream at a time: the agent's calls come after the callers' have
   * ended.
   */
  boolean isOnItsStream(InFlightOperation entry) {
    return entry.operation().isOnStream() && !completions.hasEnded(entry.operation());
  }
}
