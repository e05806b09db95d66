// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.work.CallOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * Where calls come in: those that block are carried out by {@link PassThrough} where they can be,
 * and waited for here otherwise.
 */
public final class BlockingCalls {
  private final SubmissionQueue submissions;
  private final Duration timeout;
  private final Optional<PassThrough> passThrough;

  /** Calls into {@code submissions}, which have {@code timeout} if they do not say otherwise. */
  public BlockingCalls(
      SubmissionQueue submissions, Duration timeout, Optional<PassThrough> passThrough) {
    this.submissions = submissions;
    this.timeout = timeout;
    this.passThrough = passThrough;
  }

  /**
   * Hands {@code submission} in; then waits for its end, if {@code options} say so or the stream
   * would have to and cannot.
   */
  public SubmittedOperation submit(Submission submission, CallOptions options, Stream stream) {
    boolean standsIn = options.streamWaits() && !submissions.holdsStreams();
    if (options.blocks() || standsIn) {
      submissions.requireMayWait(); // before the call is in: the others would wait for this rank
    }
    SubmittedOperation operation =
        options.blocks()
            ? carryOut(submission, options, stream)
            : submissions.submit(submission, options, stream, options.streamWaits());
    if (standsIn) {
      submissions.standIn(operation);
    }
    return operation;
  }

  private SubmittedOperation carryOut(Submission submission, CallOptions options, Stream stream) {
    Deadline limit = Deadline.after(options.timeout().orElse(timeout).plus(SubmissionQueue.MARGIN));
    if (passThrough.isPresent() && passThrough.get().takes(submission, stream)) {
      return passThrough.get().call(submission, options, stream, limit);
    }
    SubmittedOperation operation = submissions.submit(submission, options, stream, false);
    submissions.awaitQuietly(operation, limit);
    if (options.streamWaits()) {
      submissions.letStreamWait(operation, stream);
    }
    return operation;
  }

  /** Whether a caller waits for a vote: then rounds are to follow each other closely. */
  public boolean isVoting() {
    return passThrough.isPresent() && passThrough.get().isVoting();
  }

  /** Whether a caller is on its way through. Thread-safe. */
  public boolean isUnderWay() {
    return passThrough.isPresent() && passThrough.get().isUnderWay();
  }
}
