// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.engine.VendorEngine;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** When the agent is told of a call that goes straight onto its caller's stream. */
public class LoneCallTest {
  private static final long LIMIT_MS = 60_000;
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int RANKS = 2;

  /** The agent may make a round just when a caller would settle, but not each time. */
  private static final int CALLS = 1000;

  /** The first is made before the caller waits for the mark of the end. */
  private static final int STEPS = 2;

  private HostDevice device;
  private Agent agent;
  private HostStream stream;
  private VendorEngine engine;
  private SubmissionQueue queue;

  /** What happened, in this order. */
  private List<String> happened;

  private List<SubmittedOperation> inFlight;

  /** Whether the other rank's vote is here. */
  private boolean isAgreed;

  private Runnable inLibrary;

  private Runnable onSettle;

  @BeforeMethod
  public void open() {
    happened = new ArrayList<>();
    inFlight = new ArrayList<>();
    isAgreed = true;
    inLibrary = () -> {};
    onSettle = () -> {};
    device = new HostDevice();
    agent = new Agent(() -> false);
    stream = (HostStream) device.newStream();
    CclCommunicator library =
        StandIn.of(
            CclCommunicator.class,
            (method, arguments) -> {
              happened.add(method.getName());
              inLibrary.run();
              return null;
            });
    engine = new VendorEngine(device, library, RANKS, stream);
    queue =
        new SubmissionQueue(
            0,
            new Places(8, "wait"),
            new Doorbells(device),
            HoldableStreams.all(),
            LONG,
            new FailureState(),
            agent,
            FlightRing.OFF,
            this::settle);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    queue.close();
    engine.close();
    stream.close();
    agent.close();
    device.close();
  }

  /** As the executor's: ends what the stream has ended and all have voted on. */
  private void settle() {
    onSettle.run();
    takeIn();
    if (isAgreed && !inFlight.isEmpty() && queue.completions().hasEnded(inFlight.get(0))) {
      finish();
    }
  }

  private void takeIn() {
    while (queue.hasNext()) {
      inFlight.add(queue.next());
    }
  }

  private void finish() {
    takeIn();
    inFlight.forEach(queue.completions()::finish);
    inFlight.clear();
  }

  /** The agent, which ends what it is told of. */
  private void tell(Runnable seeTo) {
    happened.add("told");
    seeTo.run();
  }

  private SubmittedOperation call(CallOptions options, boolean votesAreShown, Runnable seeTo) {
    StreamPass pass =
        new StreamPass(engine, queue, (sequence, what) -> {}, votesAreShown, () -> tell(seeTo));
    return pass.call(submission(), options, stream).orElseThrow();
  }

  private static Submission submission() {
    Capabilities sums =
        Capabilities.of(
            EnumSet.allOf(Primitive.class),
            Set.of(DataType.F32),
            Set.of(ReduceOp.SUM),
            Set.of(Capabilities.Flag.ABORT));
    Clustering clustering =
        Clustering.of(
            List.of(new RankSite(0, "a", "host", "host"), new RankSite(1, "a", "host", "host")));
    PlanContext context =
        PlanContext.evenly(1, clustering, ImmutableList.of(sums), Tuning.ofSegments(4096));
    CollectiveCall call = CollectiveCall.allReduce(1, DataType.F32, ReduceOp.SUM, false);
    return Submission.of(new Task(new Planner(context).plan(call, 0), 0, 0), RANKS);
  }

  /** An agent that is woken wants a core, for a call that is over by then. */
  @Test(timeOut = LIMIT_MS)
  public void shouldNotTellTheAgentOfACallThatIsSoonOver() {
    for (int made = 0; made < CALLS && happened.size() != 1; made++) {
      happened.clear();
      assertTrue(call(CallOptions.BLOCKING, true, this::finish).isDone());
    }
    assertEquals(happened, List.of("allReduce"));
  }

  /** Nor where it has the stream mark the end, and looks for that mark. */
  @Test(timeOut = LIMIT_MS)
  public void shouldNotTellTheAgentOfACallThatItsCallerSeesTheEndOf() {
    for (int made = 0; made < CALLS && happened.size() != 1; made++) {
      happened.clear();
      CountDownLatch steps = new CountDownLatch(STEPS);
      onSettle = steps::countDown;
      inLibrary = () -> stream.enqueue(() -> awaitQuietly(steps));
      Runnable goOn =
          () -> {
            while (steps.getCount() > 0) {
              steps.countDown();
            }
          };
      assertTrue(call(CallOptions.BLOCKING, true, goOn).isDone());
    }
    assertEquals(happened, List.of("allReduce"));
  }

  /** Who waits no longer does not see to it either. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTellTheAgentWhereTheCallerIsInterrupted() {
    isAgreed = false;
    Thread.currentThread().interrupt();
    SubmittedOperation operation = call(CallOptions.BLOCKING, true, () -> {});
    assertTrue(Thread.interrupted());
    assertEquals(happened, List.of("allReduce", "told"));
    assertFalse(operation.isDone());
  }

  /** Else nobody would see to its deadline. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTellTheAgentWhereVotesAreMissing() {
    isAgreed = false;
    assertTrue(call(CallOptions.BLOCKING, true, this::finish).isDone());
    assertEquals(happened, List.of("allReduce", "told"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldTellTheAgentWhereTheStreamIsBusy() {
    CountDownLatch busy = new CountDownLatch(1);
    inLibrary = () -> stream.enqueue(() -> awaitQuietly(busy));
    assertTrue(call(CallOptions.BLOCKING, true, busy::countDown).isDone());
    assertEquals(happened, List.of("allReduce", "told"));
  }

  /** Before the caller looks for an end that nothing marks. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTellTheAgentAtOnceWhereTheLibraryFails() {
    inLibrary =
        () -> {
          throw new VendorException("unhandled error", 1);
        };
    onSettle = () -> happened.add("step");
    assertTrue(call(CallOptions.BLOCKING, true, this::finish).isDone());
    assertEquals(happened.subList(0, 2), List.of("allReduce", "told"));
  }

  /** The agent sends the vote meanwhile. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTellTheAgentAtOnceWhereItSendsTheVote() {
    assertTrue(call(CallOptions.BLOCKING, false, () -> {}).isDone());
    assertEquals(happened, List.of("told", "allReduce"));
  }

  /** Nobody else may look at it again. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTellTheAgentAtOnceWhereTheCallerGoesOn() {
    SubmittedOperation operation = call(CallOptions.STANDARD, true, () -> {});
    assertEquals(happened, List.of("told", "allReduce"));
    operation.await(LONG);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
