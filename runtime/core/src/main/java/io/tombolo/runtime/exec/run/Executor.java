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
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.agent.StuckRound;
import io.tombolo.runtime.exec.engine.ArithmeticEngine;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.exec.memory.VendorRegistration;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Completions;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.exec.submit.PassThrough;
import io.tombolo.runtime.exec.submit.Places;
import io.tombolo.runtime.exec.submit.StreamPass;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.exec.vote.CallCheck;
import io.tombolo.runtime.exec.vote.VoteBoard;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.Activity;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the operations of one communicator: begun in the order of the calls, then side by side as
 * far as {@link StepScheduler} lets them. Here is what they work with, and how that is opened and
 * closed; {@link CallRoutes} has how calls come in, and {@link OperationProgress} what is done in a
 * round.
 *
 * <p>{@link #submit} is for one thread at a time, and waits at most for the memory that it needs;
 * everything else is driven by the agent, one thread at a time. The first failure, wherever it
 * comes from, ends all operations.
 */
public final class Executor implements Duty, AutoCloseable {
  /** All ranks make the same calls in the same order, so who waits for a place keeps nobody. */
  public static final Places PLACES =
      new Places(64, "look at what holds it up, or give calls more time");

  private static final Logger LOG = LoggerFactory.getLogger(Executor.class);

  private final int rank;
  private final DeviceAdaptor device;
  private final CallCheck check;
  private final Libraries libraries;
  private final FailureState failureState;
  private final OwnStreams streams;
  private final CloseStack opened = new CloseStack();
  private final SubmissionQueue submissions;
  private final Completions completions;
  private final CopyEngine copies;
  private final TaskScheduler taskScheduler;
  private final ArithmeticEngine arithmetic;
  private final Engines engines;
  private final OperationProgress progress;
  private final boolean showsVotes;
  private final CallRoutes routes;
  private final Optional<VendorRegistration> registration;

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
    this.device = parts.device();
    this.failureState = failureState;
    this.streams = parts.streams();
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
      this.completions = submissions.completions();
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
    } catch (RuntimeException | Error e) {
      opened.close();
      lent.forEach(streams::giveBack);
      throw e;
    }
    this.engines = new Engines(libraries, copies, arithmetic, parts.dataChannels());
    this.progress =
        new OperationProgress(
            parts.timeout(),
            failureState,
            submissions,
            check,
            libraries,
            taskScheduler,
            parts.recorder().isOn());
    this.showsVotes = parts.board().isPresent();
    this.routes = new CallRoutes(submissions, taskScheduler, passThrough(), streamPass(parts));
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

  private Engine engine(Resource resource) {
    return engines.of(resource);
  }

  private void settle() {
    progress.settle();
  }

  private Optional<PassThrough> passThrough() {
    return libraries.passThrough(
        submissions, check::castEarly, showsVotes ? Optional.of(this) : Optional.empty());
  }

  private Optional<StreamPass> streamPass(Parts parts) {
    return parts.votesFirst()
        ? Optional.empty()
        : libraries.streamPass(
            submissions,
            check::castEarly,
            showsVotes,
            showsVotes ? parts.agent()::notice : parts.agent()::wake);
  }

  /**
   * Has {@code listener} told, on the agent's thread, of a peer that has gone while calls are under
   * way on which it has agreed. Unless that has left in order, it must see to it that they fail.
   */
  public void onPeerGone(Consumer<TomboloException> listener) {
    progress.onPeerGone(listener);
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
    return routes.submit(submission, options, stream);
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
        progress.mostAtOnce(),
        submissions.longestCycleNs());
  }

  @Override
  public int work() {
    return progress.work();
  }

  @Override
  public boolean mayHaveNews() {
    return !check.lacksVotes();
  }

  /** Waits until the ranks have voted on what callers' streams have carried out. For callers. */
  public void awaitVotes() {
    submissions.awaitVotes();
  }

  /** Where calls block they are on threads of their own, and so are callers' calls. */
  @Override
  public Optional<String> callUnderWay() {
    return submissions.isCallerInside() ? Optional.empty() : libraries.callThatShouldQueue();
  }

  @Override
  public void onStuck(StuckRound stuck) {
    completions.endOverdue(stuck);
  }

  @Override
  public boolean isPrompt() {
    return !libraries.mayBlockTheAgent();
  }

  @Override
  public boolean isBusy() {
    return completions.isBusy()
        || (!showsVotes && completions.hasOnStreams())
        || routes.isCallerVoting();
  }

  /** Callers see to what their streams carry out; it is looked after now and then. */
  @Override
  public void awaits(WakeUps wakeUps) {
    if (completions.hasOnStreams()) {
      wakeUps.soon();
    }
  }

  /** Whether calls are under way, by the agent or by their callers. Thread-safe. */
  public boolean hasCalls() {
    return completions.isBusy()
        || completions.hasOnStreams()
        || routes.isCallerUnderWay()
        || (submissions.hasNext() && !failureState.hasFailed())
        || registration.map(VendorRegistration::isUnderWay).orElse(false);
  }

  @Override
  public void fail(Throwable cause) {
    progress.fail(cause);
  }

  /**
   * Takes no calls any more, and closes the channels. On the agent's thread, or after its end.
   *
   * @throws TomboloException if a NIC does not let go of a channel's memory; all are closed
   */
  public void stop() {
    submissions.shut();
    abortIfRunning();
    DoAll.of(check::close, engines::closeChannels);
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
