// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.IdleStream;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Calls on a device whose streams cannot be held: who waits, for what, and for how long. */
public class HostOrderTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final CallOptions FREE = CallOptions.STANDARD.withoutStreamWait();

  private static final int PLACES = 96;

  private final HostDevice host = new HostDevice();
  private final AtomicInteger events = new AtomicInteger();
  private NativeMemory word;
  private LongCell gate;
  private Stream stream;
  private Agent agent;
  private FailureState failureState;
  private SubmissionQueue submissions;
  private Ends ends;

  /** Ends operations once their streams have reached them and the test lets it. */
  private static final class Ends implements Duty {
    private final SubmissionQueue submissions;
    private volatile boolean allowed = true;
    private final AtomicInteger refused = new AtomicInteger();
    private SubmittedOperation next;

    Ends(SubmissionQueue submissions) {
      this.submissions = submissions;
    }

    @Override
    public int work() {
      if (next == null && submissions.hasNext()) {
        next = submissions.next();
      }
      if (next != null && !next.hasBegun() && submissions.isReached(next)) {
        next.begin(LONG);
      }
      if (next == null || !next.hasBegun()) {
        return 0;
      }
      if (!allowed) {
        refused.incrementAndGet();
        return 0;
      }
      submissions.completions().finish(next);
      next = null;
      return 1;
    }

    /** Until an operation that has begun could have ended many times over. */
    void awaitHeld() {
      Deadline deadline = Deadline.after(LONG);
      while (refused.get() < 100) {
        assertFalse(deadline.isExpired(), "no operation has begun");
        Thread.onSpinWait();
      }
    }

    @Override
    public boolean isBusy() {
      return submissions.completions().isBusy();
    }

    @Override
    public boolean isPrompt() {
      return true;
    }

    @Override
    public void fail(Throwable cause) {
      throw new AssertionError(cause);
    }
  }

  @BeforeMethod
  public void open() {
    word = NativeMemory.allocate(Long.BYTES);
    gate = word.cell(0);
    gate.setRelease(0);
    events.set(0);
    stream = host.newStream();
    agent = new Agent(() -> false);
    failureState = new FailureState();
    open(LONG);
  }

  private void open(Duration timeout) {
    submissions =
        new SubmissionQueue(
            0,
            new Places(PLACES, "wait"),
            new Doorbells(unordered()),
            HoldableStreams.all(),
            timeout,
            failureState,
            agent,
            FlightRing.OFF,
            () -> {});
    ends = new Ends(submissions);
    agent.add(ends);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    gate.setRelease(1);
    agent.close();
    stream.close();
    word.close();
  }

  /** The host, whose streams are made unable to wait for words and write them. */
  private DeviceAdaptor unordered() {
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) ->
            switch (method.getName()) {
              case "isHostOrdered" -> true;
              case "newEvent" -> {
                events.incrementAndGet();
                yield StandIn.pass(host, method, arguments);
              }
              case "waitValueAsync", "writeValueAsync" ->
                  throw new UnsupportedException("no words");
              default -> StandIn.pass(host, method, arguments);
            });
  }

  private Work submit(CallOptions options) {
    return submissions.submit(
        Submission.messages("a test", 0, ImmutableList.of()), options, stream);
  }

  private void hold() {
    host.waitValueAsync(stream, word.address(), 1);
  }

  private static <T> HeldCall<T> held(Callable<T> call) {
    return HeldCall.start(call).awaitIn(CallerWaits.class, "awaitStubbornly");
  }

  @Test
  public void shouldReturnOnlyWhenTheStreamHasReachedTheCallAndItHasEnded() throws Exception {
    hold();
    ends.allowed = false;
    HeldCall<Work> call = held(() -> submit(CallOptions.STANDARD));
    assertFalse(call.isDone(), "the stream has not reached it");
    gate.setRelease(1);
    ends.awaitHeld();
    assertFalse(call.isDone(), "it has not ended");
    ends.allowed = true;
    assertTrue(call.get().isDone());
  }

  @Test
  public void shouldNotTakeTheEventOfAnEarlierCallForThatOfThisOne() throws Exception {
    for (int round = 0; round < 3 * PLACES; round++) {
      gate.setRelease(0);
      hold();
      Work work = submit(FREE);
      assertFalse(work.isDone(), "round " + round);
      gate.setRelease(1);
      work.await(LONG);
      IdleStream.await(stream, LONG);
    }
  }

  /** A runtime may wait for work of the device before it makes one. */
  @Test
  public void shouldMakeNoEventInACall() throws Exception {
    assertEquals(events.get(), PLACES);
    hold();
    List<Work> works = new ArrayList<>();
    for (int call = 0; call < PLACES; call++) {
      works.add(submit(FREE));
    }
    gate.setRelease(1);
    works.forEach(work -> work.await(LONG));
    assertEquals(events.get(), PLACES);
  }

  @Test
  public void shouldReturnAtOnceWhereTheStreamNeedNotWait() {
    hold();
    Work work = submit(FREE);
    assertFalse(work.isDone());
    gate.setRelease(1);
    work.makeWait(stream);
    assertTrue(work.isDone(), "who has the stream wait waits in its place");
  }

  @Test
  public void shouldKeepTheCallerThroughAnInterruptAndLeaveItToTheThread() throws Exception {
    hold();
    HeldCall<Boolean> call =
        held(
            () -> {
              Thread.currentThread().interrupt();
              Work work = submit(CallOptions.STANDARD);
              return work.isDone() && Thread.currentThread().isInterrupted();
            });
    assertFalse(call.isDone());
    gate.setRelease(1);
    assertTrue(call.get());
  }

  /** The margin that an operation has after its deadline makes this take five seconds. */
  @Test
  public void shouldFailWhenTheStreamNeverReachesTheCall() {
    hold();
    CallOptions soon = CallOptions.STANDARD.withTimeout(Duration.ofMillis(50));
    Work work = submit(soon);
    DeadlineExceededException error =
        expectThrows(DeadlineExceededException.class, () -> work.await(LONG));
    assertTrue(
        error.getMessage().contains("its stream has not reached it within 50 ms"),
        error.getMessage());
    assertTrue(error.getMessage().startsWith("rank 0: a test (#1"), error.getMessage());
    assertEquals(failureState.failure(), Optional.of(error));
  }

  @Test
  public void shouldLetTheCallerGoWhenAnythingFails() throws Exception {
    hold();
    HeldCall<Work> call = held(() -> submit(CallOptions.STANDARD));
    assertFalse(call.isDone());
    failureState.fail(new AbortedException("elsewhere"));
    Work work = call.get();
    String message = work.error().orElseThrow().getMessage();
    assertTrue(message.matches("rank 0: a test \\(#1, \\d+ bytes, \\d+ ms\\): elsewhere"), message);
  }
}
