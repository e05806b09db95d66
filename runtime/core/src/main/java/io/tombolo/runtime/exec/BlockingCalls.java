package io.tombolo.runtime.exec;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.CallOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * Where calls come in: those that block are carried out by {@link PassThrough} where they can be,
 * and waited for here otherwise.
 */
final class BlockingCalls {
  private final Intake intake;
  private final Duration timeout;
  private final Optional<PassThrough> passThrough;

  /** Calls into {@code intake}, which have {@code timeout} if they do not say otherwise. */
  BlockingCalls(Intake intake, Duration timeout, Optional<PassThrough> passThrough) {
    this.intake = intake;
    this.timeout = timeout;
    this.passThrough = passThrough;
  }

  /**
   * Hands {@code submission} in; then waits for its end, if {@code options} say so or the stream
   * would have to and cannot.
   */
  Operation submit(Submission submission, CallOptions options, Stream stream) {
    boolean standsIn = options.streamWaits() && !intake.holdsStreams();
    if (options.blocks() || standsIn) {
      intake.requireMayWait(); // before the call is in: the others would wait for this rank
    }
    Operation operation =
        options.blocks()
            ? carryOut(submission, options, stream)
            : intake.submit(submission, options, stream);
    if (standsIn) {
      intake.standIn(operation);
    }
    return operation;
  }

  private Operation carryOut(Submission submission, CallOptions options, Stream stream) {
    Deadline limit = Deadline.after(options.timeout().orElse(timeout).plus(Intake.MARGIN));
    if (passThrough.isPresent() && passThrough.get().takes(submission, stream)) {
      return passThrough.get().call(submission, options, stream, limit);
    }
    Operation operation = intake.submit(submission, options, stream);
    intake.awaitQuietly(operation, limit);
    return operation;
  }

  /** Whether a caller waits for a vote: then rounds are to follow each other closely. */
  boolean isVoting() {
    return passThrough.isPresent() && passThrough.get().isVoting();
  }

  /** Whether a caller is on its way through. Thread-safe. */
  boolean isUnderWay() {
    return passThrough.isPresent() && passThrough.get().isUnderWay();
  }
}
