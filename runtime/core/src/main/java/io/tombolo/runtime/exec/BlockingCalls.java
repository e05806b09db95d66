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
  /** After its deadline an operation ends when all who may name the cause have had time to. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final Intake intake;
  private final Duration timeout;
  private final Optional<PassThrough> passThrough;

  /** Calls into {@code intake}, which have {@code timeout} if they do not say otherwise. */
  BlockingCalls(Intake intake, Duration timeout, Optional<PassThrough> passThrough) {
    this.intake = intake;
    this.timeout = timeout;
    this.passThrough = passThrough;
  }

  /** Hands {@code submission} in; if {@code options} say so, then waits for its end. */
  Operation submit(Submission submission, CallOptions options, Stream stream) {
    if (!options.blocks()) {
      return intake.submit(submission, options, stream);
    }
    intake.requireMayWait(); // before the call is in: the others would wait for this rank
    Deadline limit = Deadline.after(options.timeout().orElse(timeout).plus(MARGIN));
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
