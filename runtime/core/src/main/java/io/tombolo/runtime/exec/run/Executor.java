// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Capabilities;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.agent.StuckRound;
import io.tombolo.runtime.exec.engine.ArithmeticEngine;
import io.tombolo.runtime.exec.engine.ChannelEngine;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.exec.memory.VendorRegistration;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.CallerHandoff;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.exec.submit.PassThrough;
import io.tombolo.runtime.exec.submit.Places;
import io.tombolo.runtime.exec.submit.StreamPass;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.vote.CallCheck;
import io.tombolo.runtime.exec.vote.VoteBoard;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.Activity;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.runtime.work.WorkStage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the operations of one communicator: begun in the order of the calls, then side by side as
 * far as {@link StepScheduler} lets them.
 *
 * <p>{@link #submit} is for one thread at a time, and waits at most for the memory that it needs;
 * everything else is driven by the agent, one thread at a time. The first failure, wherever it
 * comes from, ends all operations. What is done in every round makes no garbage: hence no iterators
 * and no capturing lambdas there.
 */
public final class Executor implements Duty, AutoCloseable {
  /** All ranks make the same calls in the same order, so who waits for a place keeps nobody. */
  public static final Places PLACES =
      new Places(64, "look at what holds it up, or give calls more time");

  /** How many rounds pass between two looks at the vendor's asynchronous errors. */
  private static final int ROUNDS_PER_VENDOR_CHECK = 256;

  private static final Logger LOG = LoggerFactory.getLogger(Executor.class);

  private final int rank;
  private final Duration timeout;
  private final DeviceAdaptor device;
  private final CallCheck check;
  private final Libraries libraries;
  private final OperationLimits limits;
  private final FailureState failureState;
  private final OwnStreams streams;
  private final CloseStack opened = new CloseStack();
  private final SubmissionQueue submissions;
  private final CopyEngine copies;
  private final TaskScheduler taskScheduler;
  private final Optional<PassThrough> passThrough;
  private final Optional<StreamPass> streamPass;
  private final boolean showsVotes;
  private final boolean recordsSteps;
  private final Optional<VendorRegistration> registration;
  private final ArithmeticEngine arithmetic;
  private final IntFunction<Channel> dataChannels;
  private final Map<Integer, ChannelEngine> channels = new HashMap<>();
  private final List<InFlightOperation> inFlight = new ArrayList<>();
  private final AtomicInteger mostAtOnce = new AtomicInteger();

  private Consumer<TomboloException> onPeerGone;
  private Optional<TomboloException> suspended = Optional.empty();

  /** Whether a peer has gone without its word on the call that is voted on. */
  private boolean lacksWord;

  /** What a caller has met that made the agent's steps. */
  private Optional<TomboloException> met = Optional.empty();

  private int rounds;

  /**
   * What an executor works with; all of it is closed with the executor, except the device, its
   * streams and reducer, and the threads.
   *
   * @param rank this process's rank
   * @param size number of ranks
   * @param device this process's device
   * @param vendor the vendor's communicator of this rank's cluster; none in a cluster of one
   * @param flat the host library's communicator of all ranks, if they have one: its calls block,
   *     and it can abort
   * @param reductions where elements are combined
   * @param reducers the process's threads for what the host combines
   * @param declared what the vendor's library is declared to do
   * @param clusterSize number of members of this rank's cluster
   * @param dataChannels opens the channel to a rank, when a plan first exchanges messages with it;
   *     called on the agent's thread, does not block
   * @param controlChannels to {@link #controlPeers}, by rank
   * @param board {@link #boardBytes} of zeros that all ranks share, for their votes, if they can
   * @param streams of ours on {@code device}
   * @param windowCopies copies device memory for channels; for all communicators
   * @param doorbells of {@code device}
   * @param timeout how long an operation may take from the moment its stream reached it
   * @param agent drives this duty
   * @param recorder has the operations, and the communicator's number
   * @param votesFirst whether the ranks are to agree on each call before its library is called
   * @param keepsCallers whether a library that cannot abort may keep callers that want to be back
   *     soon
   */
  public record Parts(
      int rank,
      int size,
      DeviceAdaptor device,
      Optional<CclCommunicator> vendor,
      Optional<CclCommunicator> flat,
      Reductions reductions,
      Reducers reducers,
      Capabilities declared,
      int clusterSize,
      IntFunction<Channel> dataChannels,
      Map<Integer, Channel> controlChannels,
      Optional<ByteBuffer> board,
      OwnStreams streams,
      WindowCopies windowCopies,
      Doorbells doorbells,
      Duration timeout,
      Agent agent,
      FlightRing recorder,
      boolean votesFirst,
      boolean keepsCallers) {}

  /** An executor over {@code parts} that fails with all that shares {@code failureState}. */
  public Executor(Parts parts, FailureState failureState) {
    this.rank = parts.rank();
    this.timeout = parts.timeout();
    this.device = parts.device();
    this.failureState = failureState;
    this.onPeerGone = failureState::meet;
    this.streams = parts.streams();
    this.dataChannels = parts.dataChannels();
    List<Stream> lent = new ArrayList<>();
    try {
      Optional<Stream> vendorStream = parts.vendor().map(ccl -> lend(lent));
      Optional<Stream> flatStream = parts.flat().map(ccl -> lend(lent));
      this.submissions =
          opened.opened(
              new SubmissionQueue(
                  parts.rank(),
                  PLACES,
                  parts.doorbells(),
                  streams.beside(vendorStream),
                  parts.timeout(),
                  failureState,
                  parts.agent(),
                  parts.recorder(),
                  this::settle));
      this.copies = opened.opened(new CopyEngine(device, streams.copies()));
      this.taskScheduler =
          opened.opened(new TaskScheduler(device, copies, parts.windowCopies(), this::engine));
      this.libraries = opened.opened(new Libraries(parts, vendorStream, flatStream));
      this.arithmetic =
          opened.opened(
              new ArithmeticEngine(
                  device,
                  parts.reductions(),
                  parts.reducers(),
                  streams.arithmetic(),
                  parts.agent()::wake));
      // last: to close it is to close the channels, which are the caller's until all is made
      this.check =
          new CallCheck(
              parts.rank(),
              parts.size(),
              parts.recorder().group(),
              parts.controlChannels(),
              parts.board().map(memory -> new VoteBoard(memory, parts.rank(), parts.size())));
    } catch (RuntimeException e) {
      opened.close();
      lent.forEach(streams::giveBack);
      throw e;
    }
    this.limits = new OperationLimits(timeout, check, libraries);
    this.showsVotes = parts.board().isPresent();
    this.recordsSteps = parts.recorder().isOn();
    this.passThrough =
        libraries.passThrough(submissions, showsVotes ? Optional.of(this) : Optional.empty());
    this.streamPass =
        parts.votesFirst()
            ? Optional.empty()
            : libraries.streamPass(
                submissions,
                check::castEarly,
                showsVotes ? parts.agent()::notice : parts.agent()::wake);
    this.registration =
        libraries.widest().map(ccl -> new VendorRegistration(parts.rank(), ccl, failureState));
    // before calls end: callers then free what a library may still write to, unless it is tainted
    failureState.onFailureFirst(cause -> abandon());
  }

  private Stream lend(List<Stream> lent) {
    Stream stream = streams.lend();
    lent.add(stream);
    return stream;
  }

  /**
   * Has {@code listener} told, on the agent's thread, of a peer that has gone while calls are under
   * way on which it has agreed. Unless that has left in order, it must see to it that they fail.
   */
  public void onPeerGone(Consumer<TomboloException> listener) {
    onPeerGone = listener;
  }

  /** Bytes of the memory that {@code size} ranks show each other their votes in. */
  public static int boardBytes(int size) {
    return VoteBoard.sizeBytes(size);
  }

  /** Ranks that vote with {@code rank}: an executor needs a control channel to each. */
  public static Iterable<Integer> controlPeers(int rank, int size) {
    return CallCheck.neighbours(rank, size);
  }

  /**
   * Queues {@code submission} on {@code stream} as one operation, on which the ranks vote once: it
   * starts when the stream reaches it. Waits for work of the device where it needs more memory than
   * any operation before.
   */
  public Work submit(Submission submission, CallOptions options, Stream stream) {
    if (!submissions.isUsable()) {
      return submissions.submit(submission, options, stream); // throws
    }
    submissions.refusals().require(submission.name(), submission.sizeBytes(), stream);
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

  /**
   * Waits until what was submitted so far has ended.
   *
   * @throws TomboloException the first error of it, or that it took longer than {@code timeout}
   */
  public void awaitAll(Duration timeout) {
    submissions.awaitAll(timeout);
  }

  /**
   * Registers {@code memory} of the library that joins all ranks with all of them, which call this
   * too, between the same operations; blocks. False if they cannot: the memory is as any then.
   *
   * @throws TomboloException what ended the communicator meanwhile, {@code deadline} for example
   */
  public boolean register(DeviceMemory memory, Deadline deadline) {
    return registration.orElseThrow().register(memory, deadline);
  }

  private void abandon() {
    device.taint();
    libraries.abort();
    device.endTaint(); // what is queued here besides the libraries' calls ends by itself
  }

  /** Waits a moment until the libraries have been given up, on the thread that met the failure. */
  public void awaitAborts() {
    libraries.awaitAborts();
  }

  /** Whether calls on {@code stream} have their caller wait in its place. Thread-safe. */
  public boolean isHostOrdered(Stream stream) {
    return !submissions.holds(stream);
  }

  /** Bytes handed to the vendor's library and to the host library so far. */
  public long handedBytes() {
    return libraries.handedBytes();
  }

  /** Bytes copied, or about to be, between device and stage. Thread-safe. */
  public long stagedBytes() {
    return copies.stagedBytes();
  }

  /** What was done so far. Thread-safe. */
  public Activity activity() {
    return new Activity(
        submissions.submitted(),
        check.votes(),
        taskScheduler.messages(),
        arithmetic.onDevice(),
        mostAtOnce.get(),
        submissions.longestCycleNs());
  }

  @Override
  public int work() {
    if (failureState.hasFailed()) {
      return 0;
    }
    met.ifPresent(Executor::raise);
    takeIn();
    if (inFlight.isEmpty()) {
      return 0;
    }
    int moved = check() + begin();
    moved += suspended.isPresent() ? 0 : run();
    moved += finish();
    checkHealth();
    return moved;
  }

  private int takeIn() {
    if (!submissions.hasNext()) {
      return 0;
    }
    inFlight.add(new InFlightOperation(submissions.next()));
    return 1;
  }

  /**
   * Ends the operations that have ended, as {@link #work} does, for a caller that waits for one.
   * Calls nothing that may wait; what it meets is left to the agent.
   */
  private void settle() {
    if (failureState.hasFailed() || met.isPresent()) {
      return;
    }
    try {
      int moved = 1;
      while (moved > 0) {
        moved = takeIn() + (inFlight.isEmpty() ? 0 : check() + begin() + finish());
      }
    } catch (TomboloException e) {
      met = Optional.of(e);
      submissions.wake();
    }
  }

  /** Waits until the ranks have voted on what callers' streams have carried out. For callers. */
  public void awaitVotes() {
    submissions.awaitVotes();
  }

  /**
   * A peer that goes while nothing is under way has left in order. What callers have carried out
   * themselves may still be listed here then: the peers knew of its end before this thread. A call
   * that lacks its word fails once the earlier ones, on which all have agreed, have ended.
   */
  private int check() {
    int done = 0;
    try {
      done = check.work() + vote();
    } catch (PeerFailedException gone) {
      lacksWord = true;
      finish();
      if (inFlight.isEmpty()) {
        return 1;
      }
      if (suspended.isPresent() || !check.agreed(inFlight.get(0).operation().sequence())) {
        throw gone;
      }
    }
    for (PeerFailedException gone = check.nextGone(); gone != null; gone = check.nextGone()) {
      finish();
      onGone(gone);
    }
    return done;
  }

  /** What all have agreed on may end here after a peer has ended it there, and has left. */
  private void onGone(PeerFailedException gone) {
    if (!inFlight.isEmpty()) {
      onPeerGone.accept(gone.during(inFlight.get(0).operation().describe()));
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
    suspended.ifPresent(Executor::raise); // all calls agree, so it was no mismatch of calls
    return 0;
  }

  /**
   * A barrier has nothing to move: the vote is where the ranks meet, so none votes before its
   * stream is there.
   */
  private static boolean mayVote(SubmittedOperation operation) {
    return operation.hasBegun() || !operation.meets();
  }

  /** Operations begin in the order of the calls, so that an early stream does not time out. */
  private int begin() {
    int begun = 0;
    for (int i = 0; i < inFlight.size(); i++) {
      InFlightOperation entry = inFlight.get(i);
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

  /**
   * What fails before all calls are known to agree may only suffer from a mismatch, its own or that
   * of a peer which has hung up already: the vote decides, and names both calls.
   */
  private int run() {
    try {
      return recorded(start()) + recorded(taskScheduler.work());
    } catch (TomboloException failed) {
      suspended = Optional.of(failed);
      return recorded(1);
    }
  }

  /** Has the recorder know where operations stand, of which {@code moved} steps have moved. */
  private int recorded(int moved) {
    if (recordsSteps && moved > 0) {
      for (int i = 0; i < inFlight.size(); i++) {
        inFlight.get(i).recordStep();
      }
    }
    return moved;
  }

  private int start() {
    int started = 0;
    for (int i = 0; i < inFlight.size(); i++) {
      InFlightOperation entry = inFlight.get(i);
      while (entry.hasMore() && mayStart(entry)) {
        entry.operation().watch().end(WorkStage.START);
        entry.started(taskScheduler.start(entry.next(), entry.operation().watch()));
        started++;
      }
      releaseCaller(entry);
      if (entry.hasMore() || entry.operation().isHeldByCaller() || isOnItsStream(entry)) {
        break;
      }
    }
    if (started > 0) {
      mostAtOnce.accumulateAndGet(underWay(), Math::max);
    }
    return started;
  }

  /**
   * A library is called on one stream at a time: the agent's calls come after the callers' have
   * ended.
   */
  private boolean isOnItsStream(InFlightOperation entry) {
    return entry.operation().isOnStream() && !submissions.hasEnded(entry.operation());
  }

  /** Has the caller make its call, as {@link #mayStart} has the agent start a task. */
  private void releaseCaller(InFlightOperation entry) {
    if (entry.operation().isOnStream()) {
      entry.operation().handoff().flatMap(CallerHandoff::thrown).ifPresent(Executor::raise);
    } else if (entry.operation().isHeldByCaller()
        && entry.operation().hasBegun()
        && check.agreed(entry.operation().sequence())) {
      entry.operation().handoff().orElseThrow().agree();
    }
  }

  private boolean mayStart(InFlightOperation entry) {
    boolean mustAgree = libraries.isMismatchFatal() || lacksWord;
    return entry.operation().hasBegun()
        && (!mustAgree || check.agreed(entry.operation().sequence()))
        && taskScheduler.hasRoom(entry.next())
        && entry.operation().touchBuffers();
  }

  private int underWay() {
    int count = 0;
    for (int i = 0; i < inFlight.size(); i++) {
      count += inFlight.get(i).isUnderWay() && !inFlight.get(i).isDone() ? 1 : 0;
    }
    return count;
  }

  private static void raise(TomboloException failed) {
    throw failed;
  }

  private Engine engine(Resource resource) {
    return switch (resource.kind()) {
      case VENDOR -> libraries.vendorEngine();
      case FLAT -> libraries.flatEngine();
      case COPY -> copies;
      case HOST -> arithmetic;
      case SEND, RECEIVE ->
          channels.computeIfAbsent(
              resource.peer(), peer -> new ChannelEngine(dataChannels.apply(peer)));
    };
  }

  private int finish() {
    int ended = 0;
    for (int i = 0; i < inFlight.size(); ) {
      InFlightOperation entry = inFlight.get(i);
      if (check.agreed(entry.operation().sequence()) && entry.isDone() && !isOnItsStream(entry)) {
        end(entry);
        inFlight.remove(i);
        ended++;
      } else {
        i++;
      }
    }
    return ended;
  }

  private void end(InFlightOperation entry) {
    if (entry.operation().isCallers() && !entry.operation().isOnStream()) {
      entry.operation().handoff().flatMap(CallerHandoff::thrown).ifPresent(Executor::raise);
    } else {
      libraries.check();
      submissions.finish(entry.operation());
    }
  }

  private void checkHealth() {
    for (int i = 0; i < inFlight.size(); i++) {
      if (inFlight.get(i).operation().hasBegun()) {
        checkTime(inFlight.get(i));
      }
      limits.checkCaller(inFlight.get(i));
    }
    if (rounds++ % ROUNDS_PER_VENDOR_CHECK == 0 && check.isIdle() && suspended.isEmpty()) {
      libraries.check();
    }
  }

  private void checkTime(InFlightOperation entry) {
    if (limits.isOverdue(entry)) {
      suspended.ifPresent(Executor::raise);
      throw limits.overdue(entry);
    }
  }

  /** Where calls block they are on threads of their own, and so are callers' calls. */
  @Override
  public Optional<String> callUnderWay() {
    return submissions.isCallerInside() ? Optional.empty() : libraries.callThatShouldQueue();
  }

  @Override
  public void onStuck(StuckRound stuck) {
    submissions.endOverdue(stuck);
  }

  @Override
  public boolean isPrompt() {
    return !libraries.mayBlockTheAgent();
  }

  @Override
  public boolean isBusy() {
    return submissions.isBusy()
        || (!showsVotes && submissions.hasOnStreams())
        || (passThrough.isPresent() && passThrough.get().isVoting());
  }

  /** Callers see to what their streams carry out; it is looked after now and then. */
  @Override
  public void awaits(WakeUps wakeUps) {
    if (submissions.hasOnStreams()) {
      wakeUps.soon();
    }
  }

  /** Whether calls are under way, by the agent or by their callers. Thread-safe. */
  public boolean hasCalls() {
    return submissions.isBusy()
        || submissions.hasOnStreams()
        || (passThrough.isPresent() && passThrough.get().isUnderWay())
        || registration.map(VendorRegistration::isUnderWay).orElse(false);
  }

  @Override
  public void fail(Throwable cause) {
    TomboloException error =
        cause instanceof TomboloException known
            ? known
            : new AbortedException("the agent failed: " + cause, cause);
    failureState.meet(
        inFlight.isEmpty() ? error : error.during(inFlight.get(0).operation().describe()));
  }

  /**
   * Takes no calls any more, and closes the channels. On the agent's thread, or after its end.
   *
   * @throws TomboloException if a NIC does not let go of a channel's memory; all are closed
   */
  public void stop() {
    submissions.shut();
    abortIfRunning();
    DoAll.of(check::close, () -> DoAll.each(channels.values(), engine -> engine.channel().close()));
  }

  /**
   * Gives memory and streams back, once it is {@linkplain #stop stopped}; may wait for all work of
   * the device, so not on the agent's thread. After a failure, a device or vendor library may be
   * stuck in what we own: then that is left behind rather than waited for, but for memory that no
   * task had, where the device frees it even then. The libraries end {@linkplain #awaitLibraries on
   * threads of their own}, and give their streams back then.
   */
  @Override
  public void close() {
    if (!failureState.hasFailed()) {
      opened.close();
      libraries.leave();
    } else if (device.freesAfterFailures()) {
      long bytes = taskScheduler.closeUnlent();
      LOG.debug("rank {} leaves {} bytes behind, in which operations were under way", rank, bytes);
    }
  }

  /** Leaves the libraries as {@link #close} does, and frees no memory. */
  public void leave() {
    if (!failureState.hasFailed()) {
      libraries.leave();
    }
  }

  /**
   * Once this is closed, waits for the libraries to close their communicators, too, until {@code
   * patience} is over: they may wait for other ranks to close theirs.
   *
   * @throws TomboloException what a library says against it
   */
  public void awaitLibraries(Deadline patience) {
    libraries.awaitEnds(patience);
  }

  /** Whether they have, or have refused to: none is inside a call any more. Thread-safe. */
  public boolean haveLibrariesEnded() {
    return libraries.haveEnded();
  }

  private void abortIfRunning() {
    if (hasCalls()) {
      failureState.settle(
          new AbortedException("the communicator was closed with operations under way"));
    }
  }
}
