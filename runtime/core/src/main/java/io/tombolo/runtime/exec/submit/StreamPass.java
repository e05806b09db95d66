// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.engine.VendorEngine;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.work.CallOptions;
import java.util.Optional;

/**
 * The short way from a caller to a library whose calls queue: where all ranks are its own and the
 * plan is one call on the caller's buffers, the caller queues that call on its own stream. No
 * stream waits for the agent, and nothing is copied.
 *
 * <p>The ranks vote meanwhile, and the operation has ended when the stream says so and they agree.
 * A mismatch may have one rank's call wait for the other's for ever, or mix them up: so the library
 * must be one that can be aborted, which brings back its calls and its kernels.
 *
 * <p>A caller that blocks and has shown its vote ends its operation itself, and an agent that was
 * woken for it would want a core, perhaps that on which a device is emulated. So it is told of the
 * operation once that takes long, to see to its deadline and to what goes wrong; or at once if the
 * call has failed. While the caller is in the library nobody is told: an agent that sleeps looks
 * after a second at most. It does not sleep where there was no room to show the vote, as so many
 * calls are under way then.
 *
 * <p>A rank may come this way and another by the agent: each makes its vendor's calls in the order
 * of the operations, and on one stream at a time.
 */
public final class StreamPass {
  private final VendorEngine engine;
  private final SubmissionQueue submissions;
  private final EarlyVote vote;
  private final boolean votesAreShown;
  private final Runnable tellAgent;

  /**
   * Has callers make calls of {@code engine}; each casts {@code vote} first.
   *
   * @param votesAreShown whether the others see a vote when it is cast; else the agent, or whoever
   *     makes a step in its place, has to send it
   * @param tellAgent tells it of an operation that it has to see to
   */
  public StreamPass(
      VendorEngine engine,
      SubmissionQueue submissions,
      EarlyVote vote,
      boolean votesAreShown,
      Runnable tellAgent) {
    this.engine = engine;
    this.submissions = submissions;
    this.vote = vote;
    this.votesAreShown = votesAreShown;
    this.tellAgent = tellAgent;
  }

  /** Makes the call of {@code submission} on {@code stream}; nothing if it cannot go this way. */
  public Optional<SubmittedOperation> call(
      Submission submission, CallOptions options, Stream stream) {
    if (!options.streamWaits() || !submission.isOneVendorCall(Action.Members.CLUSTER)) {
      return Optional.empty();
    }
    if (options.blocks()) {
      submissions.waits().requireMayWait(); // before the call is in: the others would wait for it
    }
    submissions.awaitPlace(options);
    Optional<SubmittedOperation> admitted =
        submissions.admitOnStream(submission, options, stream, vote);
    if (admitted.isPresent()) {
      SubmittedOperation operation = admitted.get();
      boolean isAlone = options.blocks() && votesAreShown;
      if (!isAlone) {
        tellAgent.run();
      }
      operation.handoff().orElseThrow().end(carryOut(operation, options, stream));
      if (isAlone) {
        submissions.waits().awaitAlone(operation, options, tellAgent);
      } else if (options.blocks()) {
        submissions.waits().awaitQuietly(operation, submissions.waits().end(options));
      }
    }
    return admitted;
  }

  /** What it throws may only be what a mismatch leads to: so that is for the agent to raise. */
  private Optional<TomboloException> carryOut(
      SubmittedOperation operation, CallOptions options, Stream stream) {
    if (!operation.touchBuffers()) {
      return Optional.empty();
    }
    try {
      operation.tasks().get(0).call(engine, stream);
      if (options.blocks() && submissions.waits().isSoonIdle(stream, votesAreShown)) {
        submissions.end(operation);
      } else {
        submissions.queueEnd(stream, operation);
      }
      return Optional.empty();
    } catch (TomboloException e) {
      return Optional.of(e);
    } catch (RuntimeException e) {
      return Optional.of(new AbortedException("the call failed: " + e, e));
    }
  }
}
