// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.submit.PassThrough;
import io.tombolo.runtime.exec.submit.StreamPass;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.util.Optional;

/**
 * The routes that a call may take: its caller makes it on its stream, or on its own thread, where
 * the libraries allow that; else it is the agent's, which needs memory for it. {@link #submit} is
 * for one thread at a time, the rest for all.
 */
final class CallRoutes {
  private final SubmissionQueue submissions;
  private final TaskScheduler taskScheduler;
  private final Optional<PassThrough> passThrough;
  private final Optional<StreamPass> streamPass;

  /** {@code taskScheduler} has the memory for what the agent carries out. */
  CallRoutes(
      SubmissionQueue submissions,
      TaskScheduler taskScheduler,
      Optional<PassThrough> passThrough,
      Optional<StreamPass> streamPass) {
    this.submissions = submissions;
    this.taskScheduler = taskScheduler;
    this.passThrough = passThrough;
    this.streamPass = streamPass;
  }

  /** As {@link Executor#submit}. */
  Work submit(Submission submission, CallOptions options, Stream stream) {
    if (!submissions.isUsable()) {
      return submissions.submit(submission, options, stream); // throws
    }
    submissions.refusals().require(submission.name(), submission.sizeBytes(), stream);
    submissions.meet(stream); // before anything of ours is under way for this call
    if (streamPass.isPresent()) {
      Optional<SubmittedOperation> passed = streamPass.get().call(submission, options, stream);
      if (passed.isPresent()) {
        return passed.get();
      }
    }
    reserve(submission);
    try {
      return passThrough.isPresent() && passThrough.get().takes(submission, options, stream)
          ? passThrough.get().call(submission, options, stream)
          : submissions.submit(submission, options, stream);
    } catch (RuntimeException e) {
      taskScheduler.cancel(submission.tasks());
      throw e;
    }
  }

  private void reserve(Submission submission) {
    try {
      taskScheduler.reserve(submission.tasks());
    } catch (TomboloException e) {
      throw submissions.refusals().withoutMemory(submission.name(), submission.sizeBytes(), e);
    }
  }

  /** Whether a caller waits, on its own thread, for the vote. */
  boolean isCallerVoting() {
    return passThrough.isPresent() && passThrough.get().isVoting();
  }

  /** Whether a caller is on its way through a library, on its own thread. */
  boolean isCallerUnderWay() {
    return passThrough.isPresent() && passThrough.get().isBusy();
  }
}
