// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Scheme;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** How callers wait for their streams, with a real stream of the host's. */
public class StreamWaitTest {
  private static final long LIMIT_MS = 60_000;
  private static final Duration LONG = Duration.ofMinutes(1);

  private HostDevice device;
  private Agent agent;
  private HostStream stream;
  private final AtomicInteger settled = new AtomicInteger();
  private StreamWait wait;

  @BeforeMethod
  public void open() {
    device = new HostDevice();
    agent = new Agent(() -> false);
    stream = (HostStream) device.newStream();
    settled.set(0);
    wait = new StreamWait(agent, settled::incrementAndGet, operation -> false);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    stream.close();
    agent.close();
    device.close();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldSeeAStreamThatIsIdle() {
    assertTrue(wait.isSoonIdle(stream, true));
  }

  /**
   * Else a call whose peers never come would outlast its deadline. No step can be made while the
   * agent makes a round.
   */
  @Test(timeOut = LIMIT_MS, dataProvider = "votes")
  public void shouldGiveUpOnAStreamThatStaysBusyAndSettleOnceMeanwhile(boolean votesAreShown)
      throws InterruptedException {
    CountDownLatch produced = new CountDownLatch(1);
    stream.enqueue(() -> awaitQuietly(produced));
    while (settled.get() == 0) {
      assertFalse(wait.isSoonIdle(stream, votesAreShown));
    }
    assertEquals(settled.get(), 1);
    CountDownLatch done = new CountDownLatch(1);
    stream.enqueue(done::countDown);
    produced.countDown();
    done.await();
    while (!wait.isSoonIdle(stream, votesAreShown)) {
      Thread.onSpinWait();
    }
  }

  @DataProvider
  public static Object[][] votes() {
    return new Object[][] {{true}, {false}};
  }

  /** The first look may last: the call that is waited for has ended when it is over, as a rule. */
  @Test(timeOut = LIMIT_MS)
  public void shouldLookBeforeItStepsWhereTheVotesAreShown() {
    List<Integer> settledAtLooks = new ArrayList<>();
    Looks looks = new Looks(() -> settledAtLooks.add(settled.get()), 1);
    assertTrue(wait.isSoonIdle(looks, true));
    assertEquals(settledAtLooks, List.of(0));
    assertEquals(settled.get(), 0, "who has ended needs no step here");
  }

  /** A vote that nobody has sent keeps all others waiting. */
  @Test(timeOut = LIMIT_MS)
  public void shouldStepBeforeItLooksWhereVotesAreSent() {
    List<Integer> settledAtLooks = new ArrayList<>();
    while (settled.get() == 0) { // no step can be made while the agent makes a round
      settledAtLooks.clear();
      Looks looks = new Looks(() -> settledAtLooks.add(settled.get()), 1);
      assertTrue(wait.isSoonIdle(looks, false));
    }
    assertEquals(settledAtLooks, List.of(1));
  }

  /** A stream that is idle at one of the looks at it. */
  private record Looks(Runnable onLook, AtomicInteger left) implements Stream {
    Looks(Runnable onLook, int count) {
      this(onLook, new AtomicInteger(count));
    }

    @Override
    public boolean isIdle() {
      onLook.run();
      return left.decrementAndGet() == 0;
    }

    @Override
    public long nativeHandle() {
      throw new UnsupportedOperationException("nothing is queued");
    }

    @Override
    public void waitFor(Event event) {
      throw new UnsupportedOperationException("nothing is queued");
    }

    @Override
    public void launchHostFunction(Runnable function) {
      throw new UnsupportedOperationException("nothing is queued");
    }

    @Override
    public void close() {}
  }

  /**
   * A step takes the core from the device that is waited for, if that is emulated. On a busy
   * machine each look takes milliseconds, and later ones are ever further apart: so there are few.
   */
  @Test(timeOut = LIMIT_MS)
  public void shouldStepSeldomBeforeTheStreamHasEndedTheOperation() throws InterruptedException {
    int looksBefore = 100;
    AtomicInteger looks = new AtomicInteger();
    try (SubmissionQueue queue = queue()) {
      SubmittedOperation operation = onStream(queue);
      StreamWait counting =
          new StreamWait(
              agent,
              () -> {
                settled.incrementAndGet();
                if (looks.get() > looksBefore) {
                  queue.completions().finish(operation);
                }
              },
              awaited -> looks.incrementAndGet() > looksBefore);
      counting.await(operation, Deadline.after(LONG));
      assertTrue(operation.isDone());
      assertTrue(settled.get() <= 10, "looks 0, 1, 2, 4, … and the last; not " + settled.get());
    }
  }

  /** Whoever sees to its deadline has to know of it by then. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTellOthersOfAnOperationBeforeItsTimeIsUp() throws InterruptedException {
    List<String> happened = new ArrayList<>();
    try (SubmissionQueue queue = queue()) {
      SubmittedOperation operation = onStream(queue);
      StreamWait ending =
          new StreamWait(
              agent,
              () -> {
                happened.add("step");
                queue.completions().finish(operation);
              },
              awaited -> false);
      ending.awaitAlone(
          operation, Deadline.after(LONG), Duration.ofNanos(1), () -> happened.add("told"));
      assertEquals(happened, List.of("told", "step"));
    }
  }

  private SubmissionQueue queue() {
    return new SubmissionQueue(
        0,
        new Places(8, "wait"),
        new Doorbells(device),
        HoldableStreams.all(),
        LONG,
        new FailureState(),
        agent,
        FlightRing.OFF,
        () -> {});
  }

  /** One that its caller is to queue on the stream. */
  private SubmittedOperation onStream(SubmissionQueue queue) {
    CollectiveCall call = CollectiveCall.allReduce(1, DataType.F32, ReduceOp.SUM, false);
    Plan plan = new Plan(call, 0, new Scheme(Scheme.Way.PIECES, 0), ImmutableList.of(), 0, 0, 0, 0);
    Submission submission = Submission.of(new Task(plan, 0, 0), 1);
    return queue
        .admitOnStream(submission, CallOptions.BLOCKING, stream, (sequence, what) -> {})
        .orElseThrow();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
