// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.engine.VendorEngine;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.WorkStage;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The short way from a caller to a library whose calls block: where it joins all ranks and the plan
 * is one call on the caller's buffers, the caller's thread takes the vote and then makes that call.
 * No thread is woken, and no other one has part in it. Only a caller that wants to be back soon, of
 * a library that may not give it back, has a {@link Deputy} do both, and sleeps.
 *
 * <p>The ranks agree first, as always: so no rank calls before all have, a mismatch is named before
 * anything has happened, and who never comes holds nobody in a library. A rank may come this way
 * and another by the agent: each makes its vendor's calls in the order of the operations.
 *
 * <p>The agent, who is not needed otherwise, watches the deadline; where the library can abort,
 * that ends the call.
 */
public final class PassThrough {
  /** How long the agent may take to tell everyone of a call that has failed. */
  private static final Duration TELLING = Duration.ofSeconds(5);

  /** A caller that wants to be back soon waits so long: its user can still interrupt it then. */
  private static final Duration MOMENT = Duration.ofMillis(100);

  private final VendorEngine engine;
  private final CclCommunicator library;
  private final Action.Members members;
  private final SubmissionQueue submissions;
  private final EarlyVote vote;
  private final Optional<Duty> voting;
  private final Optional<Deputy> deputy;
  private final HostStream here = HostStream.ofCaller();
  private final Consumer<Submission> offer = this::offer;
  private volatile SubmittedOperation passing;

  /**
   * Calls {@code library} through {@code engine}, when the ranks have voted; {@code vote} shows the
   * others this rank's, and {@code voting} takes the vote without the channels, if there is such a
   * one.
   *
   * @param members of whose library that is: all ranks, one way or the other
   * @param deputy who goes in the place of callers that want to be back soon; they go themselves if
   *     there is none, as the library ends a call that is under way, or may keep them
   */
  public PassThrough(
      VendorEngine engine,
      CclCommunicator library,
      Action.Members members,
      SubmissionQueue submissions,
      EarlyVote vote,
      Optional<Duty> voting,
      Optional<Deputy> deputy) {
    this.vote = vote;
    this.voting = voting;
    this.deputy = deputy;
    this.engine = engine;
    this.library = library;
    this.members = members;
    this.submissions = submissions;
  }

  /**
   * Whether {@code submission} can go this way now: its caller may wait, and nothing is before it,
   * here or on its stream.
   */
  public boolean takes(Submission submission, CallOptions options, Stream stream) {
    return options.returns() != CallOptions.Returns.AT_ONCE
        && submission.isOneVendorCall(members)
        && !submissions.completions().isBusy()
        && !isUnderWay()
        && stream.isIdle();
  }

  /**
   * Carries {@code submission} out. What is returned has ended, unless this thread was interrupted
   * or the other ranks have kept it waiting for too long: then the agent goes on with it, or the
   * deputy.
   */
  public SubmittedOperation call(Submission submission, CallOptions options, Stream stream) {
    submissions.waits().requireMayWait();
    SubmittedOperation operation = submissions.admit(submission, options, offer, vote);
    passing = operation;
    if (options.blocks() || deputy.isEmpty()) {
      carryThrough(operation, options);
    } else {
      send(deputy.get(), operation, options);
    }
    submissions.keepOrder(operation, options, stream);
    return operation;
  }

  private void send(Deputy deputy, SubmittedOperation operation, CallOptions options) {
    try {
      deputy.run(() -> carryThroughQuietly(operation, options), Deadline.after(MOMENT));
    } catch (RuntimeException e) { // the agent meets the same there, and ends all with it
      leave(operation.handoff().orElseThrow());
      passing = null;
    }
  }

  /** What is thrown on the deputy's thread nobody else would hear of. */
  private void carryThroughQuietly(SubmittedOperation operation, CallOptions options) {
    try {
      carryThrough(operation, options);
    } catch (RuntimeException | Error e) {
      submissions.abort(new AbortedException(operation.describe() + ": " + e, e));
    }
  }

  /** Takes the vote, and makes the call if it is still to be made here then. */
  private void carryThrough(SubmittedOperation operation, CallOptions options) {
    CallerHandoff handoff = operation.handoff().orElseThrow();
    try {
      if (voting.isPresent()) {
        submissions.spin(voting.get(), handoff);
      }
      if (!handoff.isOver()) { // else no deadline is made, which reads the clock
        submissions.waits().awaitQuietly(handoff, patience(options));
      }
    } finally {
      try {
        if (!leave(handoff) && handoff.isAgreed()) {
          carryOut(operation, handoff);
        }
      } finally {
        passing = null;
      }
    }
  }

  private boolean leave(CallerHandoff handoff) {
    boolean left = handoff.leave();
    if (left) {
      submissions.leaveToAgent();
    }
    return left;
  }

  /** A caller that wants to be back soon takes the vote for a moment, its deputy till the end. */
  private Deadline patience(CallOptions options) {
    return options.blocks() || deputy.isPresent()
        ? submissions.waits().end(options)
        : Deadline.after(MOMENT);
  }

  /**
   * By the time that all ranks have voted all have offered, too, so nobody waits in the library:
   * they meet once, not twice: so this comes before the vote is cast. What has been offered was
   * copied, and is nothing but bytes that lie there if the ranks do not agree.
   */
  private void offer(Submission submission) {
    if (library.takesOffers()) { // asked first: what is offered is made for that alone
      submission.tasks().get(0).offer(engine);
    }
  }

  private void carryOut(SubmittedOperation operation, CallerHandoff handoff) {
    if (!operation.touchBuffers()) {
      return;
    }
    operation.watch().begin(WorkStage.VENDOR);
    try {
      operation.tasks().get(0).call(engine, here);
      throwLate();
      operation.watch().end(WorkStage.VENDOR);
    } catch (TomboloException e) {
      fail(operation, handoff, e);
      return;
    } catch (RuntimeException e) {
      fail(operation, handoff, new AbortedException("the call failed: " + e, e));
      return;
    }
    submissions.completions().finish(operation);
    handoff.end(Optional.empty());
  }

  private void throwLate() {
    Optional<? extends TomboloException> late = library.asyncError();
    if (late.isPresent()) {
      throw late.get();
    }
  }

  /** What a failure takes, such as telling the other ranks, is the agent's to do. */
  private void fail(SubmittedOperation operation, CallerHandoff handoff, TomboloException failure) {
    handoff.end(Optional.of(failure));
    submissions.wake();
    submissions.waits().awaitQuietly(operation, Deadline.after(TELLING));
  }

  /** Whether a caller waits for the vote: then rounds are to follow each other closely. */
  public boolean isVoting() {
    SubmittedOperation now = passing;
    return now != null && now.handoff().orElseThrow().isVoting();
  }

  /** Whether a caller, or its deputy, is on its way through. Thread-safe. */
  private boolean isUnderWay() {
    return passing != null;
  }

  /**
   * Whether one has not done its part yet. After that a deputy may take a moment to be gone, when
   * its caller already knows the end and goes on. Thread-safe.
   */
  public boolean isBusy() {
    SubmittedOperation now = passing;
    return now != null && !now.isDone();
  }
}
