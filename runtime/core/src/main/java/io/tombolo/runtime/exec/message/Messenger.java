// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.agent.StuckRound;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.memory.StreamMemories;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.run.Executor;
import io.tombolo.runtime.exec.run.ProgramCache;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.exec.submit.Places;
import io.tombolo.runtime.exec.submit.StreamUse;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the messages that single ranks exchange, beside the {@link Executor}: nobody votes on
 * them, and they wait neither for collectives nor for each other. Only those of one tag from one
 * rank to another keep the order of the calls.
 *
 * <p>{@link #submit} may come from any thread, and waits at most for a place and for the memory
 * that it needs; everything else happens on the agent's thread. What is done in every round makes
 * no garbage.
 */
public final class Messenger implements Duty, AutoCloseable {
  /**
   * Messages may wait for each other, so a rank may have to make many calls before any of them can
   * end: who waits for a place may keep the others from what its own messages wait for.
   */
  public static final int PLACES = FlightRing.MOST_UNDER_WAY;

  /** Where each needs two allocations, or an event: runtimes have only so many, for all groups. */
  private static final int SCARCE_PLACES = 128;

  private static final Logger LOG = LoggerFactory.getLogger(Messenger.class);

  private final int rank;
  private final boolean freesAfterFailures;
  private final Duration timeout;
  private final FailureState failureState;
  private final SubmissionQueue submissions;
  private final CopyEngine copies;
  private final WindowCopies windowCopies;
  private final StreamMemories memories;
  private final Channels channels;
  private final Map<Integer, TagLane> lanes = new HashMap<>();
  private final TagLimit tags;
  private final List<SubmittedOperation> operations = new ArrayList<>();
  private final List<PendingMessage> pending = new ArrayList<>();
  private final CloseStack opened = new CloseStack();
  private final Predicate<PendingMessage> hasArrived = this::hasArrived;
  private final Function<Integer, TagLane> newLane = this::newLane;
  private final ProgramCache programs = new ProgramCache();
  private Consumer<TomboloException> onPeerGone;
  private long taken;

  /** Opens channels for messages. */
  @FunctionalInterface
  public interface Channels {
    /**
     * That to rank {@code peer} for messages of {@code tag}, which must have opened its end by
     * {@code deadline}; does not block.
     */
    Channel open(int peer, int tag, Deadline deadline);
  }

  /**
   * What a messenger works with; the channels are closed with it.
   *
   * @param rank this process's rank
   * @param device this process's device
   * @param channels opens the channel to a rank at the first message of a tag to or from it; called
   *     on the agent's thread
   * @param streams of ours on {@code device}
   * @param windowCopies copies device memory for channels; for all communicators
   * @param doorbells of {@code device}
   * @param timeout how long an operation may take from the moment its stream reached it
   * @param agent drives this duty
   * @param recorder has the operations
   */
  public record Parts(
      int rank,
      DeviceAdaptor device,
      Channels channels,
      OwnStreams streams,
      WindowCopies windowCopies,
      Doorbells doorbells,
      Duration timeout,
      Agent agent,
      FlightRing recorder) {}

  /** A messenger over {@code parts} that fails with all that shares {@code failureState}. */
  public Messenger(Parts parts, FailureState failureState) {
    this.rank = parts.rank();
    this.freesAfterFailures = parts.device().freesAfterFailures();
    this.tags = new TagLimit(rank);
    this.timeout = parts.timeout();
    this.failureState = failureState;
    this.onPeerGone = failureState::meet;
    this.channels = parts.channels();
    this.windowCopies = parts.windowCopies();
    try {
      this.submissions =
          opened.opened(
              new SubmissionQueue(
                  parts.rank(),
                  places(parts.device()),
                  parts.doorbells(),
                  parts.streams().beside(Optional.empty()),
                  parts.timeout(),
                  failureState,
                  parts.agent(),
                  parts.recorder(),
                  () -> {}));
      this.copies = opened.opened(new CopyEngine(parts.device(), parts.streams().copies()));
      this.memories = opened.opened(new StreamMemories(parts.device()));
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  /**
   * Has {@code listener} told, on the agent's thread, of a peer that has gone while a receive waits
   * for any. Unless that has left in order, it must see to it that all fails.
   */
  public void onPeerGone(Consumer<TomboloException> listener) {
    onPeerGone = listener;
  }

  /** How many messages may be under way on {@code device}. */
  static Places places(DeviceAdaptor device) {
    boolean scarce = device.hasScarceWords() || device.isHostOrdered();
    int count = scarce ? SCARCE_PLACES : PLACES;
    return new Places(
        count,
        ("ranks' messages may be waiting for each other, as no more than %s can be under way at once:"
                + " await some before you make more, make several in one exchange, or give calls"
                + " more time")
            .formatted(count));
  }

  /**
   * Queues messages on {@code stream} as one operation, whose messages progress independently. Each
   * task is one message: its plan sends to or receives from one rank.
   *
   * @param call what is exchanged, for people
   * @param sizeBytes its size
   */
  public Work submit(
      Object call, long sizeBytes, List<Task> messages, CallOptions options, Stream stream) {
    if (!submissions.isUsable()) {
      return submissions.submit(
          Submission.messages(call, sizeBytes, messages), options, stream); // throws
    }
    submissions.refusals().require(call, sizeBytes, stream);
    StreamUse use = submissions.look(options, stream);
    List<Task> equipped = new ArrayList<>(messages.size());
    // A blocking call holds its stream only when it returns: another's may run beside it till then.
    boolean serial = options.streamWaits() && !options.blocks() && use.isHeld();
    try {
      for (int i = 0; i < messages.size(); i++) {
        tags.admit(call, messages.get(i).tag());
        equipped.add(equipped(call, sizeBytes, messages.get(i), stream, i, serial));
      }
      Submission submission = Submission.messages(call, sizeBytes, equipped);
      return submissions.submit(submission, options, stream, use);
    } catch (RuntimeException e) {
      equipped.forEach(task -> memories.giveBack(task.lent().orElseThrow()));
      throw e;
    }
  }

  /**
   * With memory from the call on. Messages of two ranks may wait for each other, so none waits for
   * memory that another has.
   */
  private Task equipped(
      Object call, long sizeBytes, Task task, Stream stream, int index, boolean serial) {
    try {
      return task.in(
          memories.lend(
              stream, index, serial, task.stageBytes(), task.scratchBytes(), task.packedBytes()));
    } catch (TomboloException e) {
      throw submissions.refusals().withoutMemory(call, sizeBytes, e);
    }
  }

  /** Whether messages on {@code stream} have their caller wait in its place. Thread-safe. */
  public boolean isHostOrdered(Stream stream) {
    return !submissions.holds(stream);
  }

  /** Bytes copied, or about to be, between device and stage. Thread-safe. */
  public long stagedBytes() {
    return copies.stagedBytes();
  }

  @Override
  public int work() {
    if (failureState.hasFailed()) {
      return 0;
    }
    int done = takeIn();
    if (operations.isEmpty()) {
      return done;
    }
    done += begin();
    for (int i = 0; i < pending.size(); i++) {
      done += takeForward(pending.get(i));
    }
    pending.removeIf(hasArrived);
    return done + finish();
  }

  private int takeIn() {
    if (!submissions.hasNext()) {
      return 0;
    }
    take(submissions.next());
    return 1;
  }

  private void take(SubmittedOperation operation) {
    operations.add(operation);
    for (Task task : operation.tasks()) {
      TagLane lane = lanes.computeIfAbsent(task.tag(), newLane);
      PendingMessage message = new PendingMessage(taken++, operation, task, lane, programs);
      pending.add(message);
      lane.join(message);
    }
  }

  private TagLane newLane(int tag) {
    return new TagLane(
        (peer, deadline) -> channels.open(peer, tag, deadline),
        timeout,
        copies,
        gone -> onPeerGone.accept(gone));
  }

  private int begin() {
    int begun = 0;
    for (int i = 0; i < operations.size(); i++) {
      SubmittedOperation operation = operations.get(i);
      if (!operation.hasBegun() && submissions.isReached(operation)) {
        operation.begin(timeout);
        begun++;
      }
    }
    return begun;
  }

  private int takeForward(PendingMessage message) {
    try {
      if (!message.isStarted()) {
        if (!mayStart(message)) {
          return 0;
        }
        message.start(windowCopies);
      }
      int moved = message.work();
      if (message.hasPosted()) {
        message.lane().leave(message);
      }
      return moved;
    } catch (CorruptException e) {
      throw new MismatchException("the two sides of the message do not agree: " + e.getMessage(), e)
          .during(message.operation().describe());
    } catch (TomboloException e) {
      throw e.during(message.operation().describe());
    }
  }

  private static boolean mayStart(PendingMessage message) {
    TagLane lane = message.lane();
    return message.operation().hasBegun()
        && lane.meets(message)
        && lane.isTurnOf(message)
        && message.operation().touchBuffers()
        && lane.passesWord(message);
  }

  private boolean hasArrived(PendingMessage message) {
    if (!message.isDone()) {
      return false;
    }
    message.leave();
    memories.giveBack(message.memory());
    return true;
  }

  /** Operations and their pending messages are in the same order. */
  private int finish() {
    int ended = 0;
    int next = 0;
    for (int i = 0; i < operations.size(); ) {
      SubmittedOperation operation = operations.get(i);
      int behind = behind(operation, next);
      if (operation.hasBegun() && behind == next) {
        operations.remove(i);
        submissions.completions().finish(operation);
        ended++;
      } else {
        checkTime(operation);
        i++;
      }
      next = behind;
    }
    return ended;
  }

  /** The first pending message from {@code first} on that is not of {@code operation}. */
  private int behind(SubmittedOperation operation, int first) {
    int behind = first;
    while (behind < pending.size() && pending.get(behind).isOf(operation)) {
      behind++;
    }
    return behind;
  }

  private void checkTime(SubmittedOperation operation) {
    if (operation.isOverdue(Duration.ZERO)) {
      throw new DeadlineExceededException("not done in time: held up by " + heldUpBy(operation))
          .during(operation.describe());
    }
  }

  private String heldUpBy(SubmittedOperation operation) {
    return pending.stream()
        .filter(message -> message.isOf(operation))
        .min(Comparator.comparing(message -> !message.isStarted()))
        .map(PendingMessage::heldUpBy)
        .orElse("nothing");
  }

  @Override
  public void onStuck(StuckRound stuck) {
    submissions.completions().endOverdue(stuck);
  }

  @Override
  public boolean isPrompt() {
    return true;
  }

  @Override
  public boolean isBusy() {
    return submissions.completions().isBusy();
  }

  @Override
  public void fail(Throwable cause) {
    failureState.meet(
        cause instanceof TomboloException known
            ? known
            : new AbortedException("the agent failed: " + cause, cause));
  }

  /** Takes no calls any more, and closes the channels. On the agent's thread, or after its end. */
  public void stop() {
    submissions.shut();
    if (isBusy()) {
      failureState.settle(
          new AbortedException("the communicator was closed with messages under way"));
    }
    DoAll.each(lanes.values(), TagLane::close);
  }

  /**
   * Gives memory and streams back, once it is {@linkplain #stop stopped}; may wait for all work of
   * the device, so not on the agent's thread. If it has failed, only memory that no message had,
   * where the device {@linkplain DeviceAdaptor#freesAfterFailures frees it then}.
   */
  @Override
  public void close() {
    if (!failureState.hasFailed()) {
      opened.close();
    } else if (freesAfterFailures) {
      long bytes = memories.closeUnlent();
      LOG.debug("rank {} leaves {} bytes behind, in which messages were under way", rank, bytes);
    }
  }
}
