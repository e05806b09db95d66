// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import io.tombolo.runtime.recorder.FlightMemory;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.runtime.work.WorkState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Calls whose streams do not take what is queued on them. */
public class SubmissionQueueTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int PLACES = 64;
  private static final Submission CALL = Submission.messages("a test", 0, ImmutableList.of());

  private final HostDevice host = new HostDevice();
  private FailureState failureState;
  private Agent agent;
  private Stream stream;
  private FlightRing recorder;

  @BeforeMethod
  public void open() {
    agent = new Agent(() -> false);
    failureState = new FailureState();
    stream = host.newStream();
    recorder = FlightRing.OFF;
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    stream.close();
    agent.close();
  }

  /** Of the host, of whose calls {@code refused} finds no room in the stream. */
  private SubmissionQueue submissions(String refused) {
    return submissions(
        refused,
        () -> {
          throw new ResourceException("the stream is full");
        });
  }

  /** Of the host, before whose calls {@code watched} it runs {@code before}. */
  private SubmissionQueue submissions(String watched, Runnable before) {
    DeviceAdaptor device =
        StandIn.of(
            DeviceAdaptor.class,
            (method, arguments) -> {
              if (method.getName().equals(watched)) {
                before.run();
              }
              return StandIn.pass(host, method, arguments);
            });
    return new SubmissionQueue(
        0,
        new Places(PLACES, "wait"),
        new Doorbells(device),
        HoldableStreams.all(),
        LONG,
        failureState,
        agent,
        recorder,
        () -> {});
  }

  private SubmittedOperation queue(SubmissionQueue submissions, boolean holds) {
    CallOptions options = CallOptions.STANDARD;
    return submissions.queue(CALL, options, stream, submissions.look(options, stream), holds);
  }

  /** A clock of which each look takes a while: the time is up between two looks at it. */
  @Test(timeOut = 60_000)
  public void shouldNotSleepForEverWhenTimeIsUpJustAfterItWasLookedAt() throws Exception {
    SubmittedOperation operation = queue(submissions("nothing"), false);
    for (int looks = 1; looks <= 4; looks++) {
      AtomicInteger looked = new AtomicInteger();
      int budget = looks;
      Ticker clock =
          new Ticker() {
            @Override
            public long read() {
              return looked.getAndIncrement() < budget ? 0 : LONG.toNanos();
            }
          };
      operation.sleep(Deadline.after(clock, LONG.dividedBy(2)));
    }
    assertTrue(!operation.isDone());
  }

  @Test(timeOut = 60_000)
  public void shouldForgetACallWhoseStartCannotBeQueued() {
    SubmissionQueue submissions = submissions("writeValueAsync");
    assertThrows(ResourceException.class, () -> queue(submissions, true));
    assertEquals(submissions.submitted(), 0);
    assertEquals(failureState.failure(), Optional.empty());
  }

  @Test(timeOut = 60_000)
  public void shouldStartACallAtOnceOnAStreamThatIsKnownAndIdle() {
    AtomicInteger queued = new AtomicInteger();
    SubmissionQueue submissions = submissions("writeValueAsync", queued::incrementAndGet);
    for (int call = 0; call < 3; call++) {
      assertTrue(submissions.isReached(queue(submissions, false)));
    }
    assertEquals(queued.get(), 1);
  }

  /** Callers ask whether they may go on before they come in: others may have come between. */
  @Test(timeOut = 60_000)
  public void shouldDoNothingAheadOfACallThatComesBehindAnother() {
    SubmissionQueue submissions = submissions("nothing");
    AtomicInteger ahead = new AtomicInteger();
    SubmittedOperation first = queue(submissions, false);
    SubmittedOperation second = admit(submissions, ahead);
    assertEquals(ahead.get(), 0);
    submissions.completions().finish(first);
    SubmittedOperation third = admit(submissions, ahead);
    assertEquals(ahead.get(), 0);
    submissions.completions().finish(second);
    submissions.completions().finish(third);
    submissions.completions().finish(admit(submissions, ahead));
    assertEquals(ahead.get(), 1);
  }

  private static SubmittedOperation admit(SubmissionQueue submissions, AtomicInteger ahead) {
    return submissions.admit(
        CALL, CallOptions.BLOCKING, call -> ahead.incrementAndGet(), (sequence, call) -> {});
  }

  /** Who sees the vote takes it that all is offered; and what follows it the others wait for. */
  @Test(timeOut = 60_000)
  public void shouldCastTheVoteBehindWhatComesAheadAndBeforeTheCallIsIn() {
    SubmissionQueue submissions = submissions("nothing");
    List<String> done = new ArrayList<>();
    SubmittedOperation operation =
        submissions.admit(
            CALL,
            CallOptions.BLOCKING,
            call -> done.add("ahead"),
            (sequence, call) -> done.add("vote on " + sequence + " of " + submissions.submitted()));
    assertEquals(done, List.of("ahead", "vote on 1 of 0"));
    assertEquals(submissions.submitted(), 1);
    submissions.completions().finish(operation);
  }

  /** Their own time is never up here. */
  @Test(timeOut = 60_000)
  public void shouldWakeAllWhoSleepWhenItEnds() throws Exception {
    SubmissionQueue submissions = submissions("nothing");
    SubmittedOperation operation = queue(submissions, false);
    List<HeldCall<Boolean>> sleepers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      HeldCall<Boolean> sleeper =
          HeldCall.start(
              () -> {
                operation.sleep(Deadline.after(Duration.ofHours(1)));
                return operation.isDone();
              });
      sleepers.add(sleeper.awaitIn(Object.class, "wait"));
    }
    submissions.completions().finish(operation);
    for (HeldCall<Boolean> sleeper : sleepers) {
      assertTrue(sleeper.get());
    }
  }

  @Test(timeOut = 60_000)
  public void shouldEndTheCallWhoseStreamWouldOvertakeIt() {
    SubmissionQueue submissions = submissions("waitValueAsync");
    Work work = queue(submissions, true);
    String message = expectThrows(ResourceException.class, () -> work.await(LONG)).getMessage();
    assertTrue(message.matches("rank 0: a test \\(#1, .*the stream is full"), message);
    assertTrue(failureState.failure().isPresent());
  }

  @Test(timeOut = 60_000)
  public void shouldLetAStreamGoOnlyWhenItsCallSaysThatItFailed() {
    SubmittedOperation operation = queue(submissions("nothing"), true);
    Thread failing = new Thread(() -> failureState.fail(new AbortedException("by a test")));
    synchronized (operation) { // so it cannot say so yet
      failing.start();
      await(() -> failing.getState() == Thread.State.BLOCKED, LONG);
      assertFalse(await(stream::isIdle, Duration.ofMillis(200)));
    }
    assertTrue(await(stream::isIdle, LONG));
    assertTrue(operation.error().isPresent());
  }

  /** How a call comes in, and the failure that comes just before it is in. */
  @FunctionalInterface
  private interface Way {
    SubmittedOperation comeIn(SubmissionQueueTest test, Runnable failure);
  }

  @DataProvider
  private static Object[][] ways() {
    Way byTheAgent =
        (test, failure) -> test.queue(test.submissions("writeValueAsync", failure), false);
    Way onItsThread =
        (test, failure) ->
            test.submissions("nothing")
                .admit(
                    CALL,
                    CallOptions.BLOCKING,
                    submission -> failure.run(),
                    (sequence, submission) -> {});
    Way onItsStream =
        (test, failure) ->
            test.submissions("nothing")
                .admitOnStream(
                    CALL, CallOptions.STANDARD, test.stream, (sequence, calls) -> failure.run())
                .orElseThrow();
    return new Object[][] {{byTheAgent}, {onItsThread}, {onItsStream}};
  }

  /** They may free memory then, which libraries write to until they have been told. */
  @Test(timeOut = 60_000, dataProvider = "ways")
  public void shouldEndNoCallThatMeetsAFailureBeforeThoseWhoAreToldFirst(Way way) throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    HeldCall<SubmittedOperation> call =
        HeldCall.start(() -> way.comeIn(this, () -> failUntil(told)))
            .awaitIn(FailureState.class, "awaitFailure");
    assertFalse(call.isDone());
    told.countDown();
    SubmittedOperation operation = call.get();
    assertTrue(operation.error().isPresent());
    assertFalse(operation.touchBuffers(), "nobody may begin with it any more");
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseCallsOnlyWhenThoseAreToldWhoAreToldFirst() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    SubmissionQueue submissions = submissions("nothing");
    failUntil(told);
    HeldCall<SubmittedOperation> call =
        HeldCall.start(() -> queue(submissions, false)).awaitIn(FailureState.class, "awaitFailure");
    assertFalse(call.isDone());
    told.countDown();
    assertTrue(
        expectThrows(ExecutionException.class, call::get).getCause() instanceof AbortedException);
  }

  /** Fails, and tells nobody but those who are told first until {@code told}. */
  private void failUntil(CountDownLatch told) {
    failureState.onFailureFirst(failed -> Uninterruptibles.awaitUninterruptibly(told));
    HeldCall.start(
            () -> {
              failureState.fail(new AbortedException("by a test"));
              return true;
            })
        .awaitIn(FailureState.class, "tell");
  }

  private static boolean await(BooleanSupplier condition, Duration limit) {
    Deadline deadline = Deadline.after(limit);
    while (!condition.getAsBoolean() && !deadline.isExpired()) {
      Thread.onSpinWait();
    }
    return condition.getAsBoolean();
  }

  @Test(timeOut = 60_000)
  public void shouldNameCallsInPlainDigitsWhateverTheLocale() {
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG"));
    try {
      assertTrue("%d".formatted(5).equals("\u0665"), "this JVM's Egypt has digits of its own");
      String said = CALL.describe(2, 17, 5_000_000);
      assertTrue(said.startsWith("rank 2: ") && said.contains("(#17, "), said);
      assertTrue(said.endsWith(" bytes, 5 ms)"), said);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
  }

  /** Nobody else wakes them: the operation has left its place, so no failure finds it. */
  @Test(timeOut = 60_000)
  public void shouldWakeThoseWhoWaitThoughTheEndCannotBeRecorded() throws Exception {
    FlightMemory memory = new FlightMemory();
    recorder = memory.collectives();
    SubmissionQueue submissions = submissions("nothing");
    SubmittedOperation operation = queue(submissions, false);
    CompletableFuture<Work> completion = operation.completion().toCompletableFuture();
    HeldCall<Boolean> waiting =
        HeldCall.start(
                () -> {
                  operation.sleep(Deadline.after(LONG));
                  return operation.isDone();
                })
            .awaitIn(SubmittedOperation.class, "sleep");
    memory.lose();
    assertThrows(
        IndexOutOfBoundsException.class, () -> submissions.completions().finish(operation));
    assertTrue(waiting.get());
    assertSame(completion.get(LONG.toSeconds(), TimeUnit.SECONDS), operation);
  }

  /** Who takes its place writes the same word. */
  @Test(timeOut = 60_000)
  public void shouldGiveAPlaceAwayOnlyWhenTheWordSaysThatItsOperationHasEnded() throws Exception {
    SubmissionQueue submissions = submissions("nothing");
    SubmittedOperation oldest = queue(submissions, false);
    for (int place = 1; place < PLACES; place++) {
      SubmittedOperation unused = queue(submissions, false);
    }
    Thread agents = new Thread(() -> submissions.completions().finish(oldest));
    FutureTask<SubmittedOperation> call = new FutureTask<>(() -> queue(submissions, false));
    Thread callers = new Thread(call);
    synchronized (oldest) { // so that its end is held up half-way
      agents.start();
      awaitStop(agents);
      callers.start();
      awaitStop(callers);
    }
    agents.join();
    SubmittedOperation next = call.get();
    assertEquals(next.sequence(), PLACES + 1);
    long word = NativeMemory.cellAt(next.stateAddress()).getAcquire();
    assertEquals(word, WorkState.encode(WorkState.Phase.QUEUED, 0, next.sequence()));
  }

  private static void awaitStop(Thread thread) {
    while (thread.getState() == Thread.State.NEW || thread.getState() == Thread.State.RUNNABLE) {
      Thread.onSpinWait();
    }
  }
}
