// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.Advice;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.IdleStream;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.Activity;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.runtime.work.WorkState;
import io.tombolo.runtime.work.WorkState.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The real executor, with all ranks in one process: real streams, real arithmetic, channels that
 * are queues.
 */
public class ExecutorTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(400);

  @DataProvider
  public Object[][] worlds() {
    return new Object[][] {
      {"a"}, {"ab"}, {"aa"}, {"abab"}, {"abba"}, {"aab"}, {"abc"}, {"aabbc"}, {"aaabb"}, {"abcabc"}
    };
  }

  @Test(dataProvider = "worlds")
  public void shouldGiveEveryRankTheSum(String word) {
    try (LocalJob job = new LocalJob(word, LONG)) {
      for (long count : new long[] {1, 5, 61, 20_000}) {
        for (boolean inPlace : new boolean[] {false, true}) {
          job.allReduceAndCheck(count, ReduceOp.SUM, inPlace);
        }
      }
    }
  }

  @Test
  public void shouldDivideOnceForAnAverage() {
    try (LocalJob job = new LocalJob("abab", LONG)) {
      job.allReduceAndCheck(1000, ReduceOp.AVG, false);
    }
  }

  @Test
  public void shouldCombineUpToEachRankInRankOrder() {
    for (String word : List.of("ab", "abba", "aabbc", "cabcab")) {
      try (LocalJob job = new LocalJob(word, LONG)) {
        job.scanAndCheck(Collective.SCAN, 1_000, false);
        job.scanAndCheck(Collective.SCAN, 257, true);
        job.scanAndCheck(Collective.EXSCAN, 1_000, false);
        job.scanAndCheck(Collective.EXSCAN, 257, true);
      }
    }
  }

  @Test
  public void shouldRunQueuedOperationsInOrder() {
    try (LocalJob job = new LocalJob("abba", LONG)) {
      List<Work> works = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        works.addAll(
            job.allReduce(CollectiveCall.allReduce(257, DataType.F32, ReduceOp.SUM, false)));
      }
      works.forEach(work -> work.await(LONG));
      job.checkSums(257);
    }
  }

  @Test(dataProvider = "mixedWorlds")
  public void shouldBeginAnOperationOnAnotherStreamBeforeTheFirstHasEnded(String word) {
    try (LocalJob job = new LocalJob(word, LONG)) {
      Work first = job.submitBeside(0, 0, 2000); // cannot end: the others have not called
      Work second = job.submitBeside(0, 1, 3000);
      Deadline deadline = Deadline.after(LONG);
      while (job.activity(0).mostAtOnce() < 2 && !deadline.isExpired()) {
        LockSupport.parkNanos(50_000);
      }
      assertEquals(job.activity(0).mostAtOnce(), 2);
      assertFalse(first.isDone());
      assertEquals(WorkState.decode(word(second)).phase(), Phase.STARTED);
      for (int rank = 1; rank < job.size(); rank++) {
        job.submitBeside(rank, 0, 2000);
        job.submitBeside(rank, 1, 3000);
      }
      second.await(LONG);
      first.await(LONG);
      assertEquals(job.activity(0).votes(), 2);
    }
  }

  @DataProvider
  public Object[][] mixedWorlds() {
    return new Object[][] {{"ab"}, {"abab"}, {"aabbc"}};
  }

  @Test(dataProvider = "mixedWorlds")
  public void shouldKeepApartWhatRunsSideBySide(String word) {
    Random random = new Random(TestSeed.drawn());
    try (LocalJob job = new LocalJob(word, LONG)) {
      for (int round = 0; round < 10; round++) {
        int[] counts = random.ints(6, 1, 9000).toArray();
        List<Work> works = new ArrayList<>();
        for (int side = 0; side < counts.length; side++) {
          for (int rank = 0; rank < job.size(); rank++) {
            works.add(job.submitBeside(rank, side, counts[side]));
          }
        }
        works.forEach(work -> work.await(LONG));
        for (int side = 0; side < counts.length; side++) {
          job.checkSumsBeside(side, counts[side]);
        }
      }
    }
  }

  @Test(dataProvider = "mixedWorlds")
  public void shouldMakeOneProgramOfSmallCallsInAGroup(String word) {
    try (LocalJob job = new LocalJob(word, LONG)) {
      job.group(21).forEach(work -> work.await(LONG));
      Activity alone = job.activity(0);
      job.group(1, 2, 3, 4, 5, 6).forEach(work -> work.await(LONG));
      job.checkGroup(1, 2, 3, 4, 5, 6);
      Activity group = job.activity(0);
      assertEquals(group.operations(), 2);
      assertEquals(group.votes(), 2);
      assertEquals(group.messages(), 2 * alone.messages());
    }
  }

  @Test(dataProvider = "mixedWorlds")
  public void shouldVoteOnceOnLargeCallsInAGroup(String word) {
    try (LocalJob job = new LocalJob(word, LONG)) {
      int[] counts = {9000, 100, 8500, 200, 300, 9001};
      job.group(counts).forEach(work -> work.await(LONG));
      job.checkGroup(counts);
      assertEquals(job.activity(0).votes(), 1);
    }
  }

  @Test
  public void shouldWaitForAllStreamsAtABarrierInAGroup() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall sum = CollectiveCall.allReduce(9000, DataType.F32, ReduceOp.SUM, false);
      CountDownLatch gate = new CountDownLatch(1);
      ((HostStream) job.streamBeside(1, 0))
          .enqueue(() -> Uninterruptibles.awaitUninterruptibly(gate));
      Work late = job.groupBeside(1, 0, sum, CollectiveCall.barrier());
      Work early = job.groupBeside(0, 0, sum, CollectiveCall.barrier());
      assertThrows(DeadlineExceededException.class, () -> early.await(SHORT));
      gate.countDown();
      early.await(LONG);
      late.await(LONG);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldStartBeforeTheVoteIsOverWhereItCallsNoLibrary() {
    Capabilities.Flag fatal = Capabilities.Flag.MISMATCH_IS_FATAL;
    try (LocalJob job = new LocalJob("ab", LONG, true, fatal)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      Work early = job.submit(0, call);
      while (job.activity(0).messages() == 0) {
        LockSupport.parkNanos(50_000);
      }
      assertFalse(early.isDone());
      job.submit(1, call).await(LONG);
      early.await(LONG);
      job.checkSums(8);
    }
  }

  @Test
  public void shouldLeaveTheStreamToWaitForABlockingCallThatIsInterrupted() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      Thread.currentThread().interrupt();
      Work left = job.submitBeside(0, 0, 8, CallOptions.BLOCKING);
      assertTrue(Thread.interrupted(), "it stays with the thread");
      assertFalse(left.isDone());
      assertFalse(job.streamBeside(0, 0).isIdle());
      Work right = job.submitBeside(1, 0, 8, CallOptions.BLOCKING);
      right.await(LONG);
      left.await(LONG);
      job.checkSumsBeside(0, 8);
      IdleStream.await(job.streamBeside(0, 0), LONG);
    }
  }

  @Test
  public void shouldForgetACallThatItsStreamRefuses() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      HostStream closed = new HostStream();
      closed.close();
      assertThrows(UsageException.class, () -> job.submitOn(closed, 0, call));
      assertThrows(UsageException.class, () -> job.submitOn(null, 0, call));
      job.allReduce(call).forEach(work -> work.await(LONG));
      job.checkSums(8);
      assertEquals(job.activity(0).operations(), 1);
    }
  }

  @Test
  public void shouldTakeNoCallsOnceItIsClosed() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      List<Work> works = job.allReduce(call);
      works.forEach(work -> work.await(LONG));
      job.closeExecutor(0);
      assertThrows(UsageException.class, () -> job.submit(0, call));
      assertThrows(UsageException.class, () -> works.get(0).abort());
      works.get(0).makeWait(job.streamBeside(0, 0)); // it has ended: nothing to wait for
    }
  }

  @Test
  public void shouldSayThatAnOperationGoesOnWhoseWaitIsOver() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      Work work = job.submit(0, call);
      TomboloException expired =
          expectThrows(DeadlineExceededException.class, () -> work.await(Duration.ofMillis(10)));
      assertSame(expired.advice(), Advice.WAIT);
      Thread.currentThread().interrupt();
      TomboloException interrupted = expectThrows(AbortedException.class, () -> work.await(LONG));
      assertSame(interrupted.advice(), Advice.WAIT);
      assertTrue(Thread.interrupted(), "it stays with the thread");
      job.submit(1, call).await(LONG);
      work.await(LONG);
      job.checkSums(8);
    }
  }

  @Test
  public void shouldTakeTimeoutsThatNeverPass() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
      CallOptions options =
          new CallOptions(Optional.of(ever), true, false, CallOptions.Returns.AT_ONCE);
      Work first = job.submitBeside(0, 0, 9, options);
      assertThrows(DeadlineExceededException.class, () -> first.await(SHORT));
      Work second =
          job.submitBeside(
              1,
              0,
              9,
              new CallOptions(Optional.of(ever), true, false, CallOptions.Returns.AT_THE_END));
      second.await(ever);
      first.await(ever);
    }
  }

  @Test
  public void shouldHoldACallUntilThereIsAPlaceForIt() throws Exception {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      for (int i = 0; i < Executor.PLACES.count(); i++) {
        job.submit(0, call);
      }
      CallOptions soon =
          new CallOptions(Optional.of(SHORT), true, false, CallOptions.Returns.AT_ONCE);
      String refused =
          expectThrows(ResourceException.class, () -> job.submitBeside(0, 0, 8, soon)).getMessage();
      assertTrue(
          refused.startsWith(
              "rank 0: 64 operations are under way, and the oldest has not ended within 400 ms:"
                  + " rank 0: all_reduce of 8 f32 by sum (#1, "),
          refused);
      FutureTask<Work> next = new FutureTask<>(() -> job.submit(0, call));
      Thread caller = new Thread(next, "caller");
      caller.setDaemon(true);
      caller.start();
      for (int i = 0; i <= Executor.PLACES.count(); i++) {
        job.submit(1, call).await(LONG);
      }
      next.get(LONG.toSeconds(), TimeUnit.SECONDS).await(LONG);
      assertEquals(job.activity(0).operations(), Executor.PLACES.count() + 1);
    }
  }

  @Test
  public void shouldNameBothCallsWhenRanksDisagree() {
    try (LocalJob job = new LocalJob("abab", LONG)) {
      List<Work> works = new ArrayList<>();
      for (int rank = 0; rank < 4; rank++) {
        long count = rank == 3 ? 101 : 100;
        works.add(
            job.submit(rank, CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false)));
      }
      MismatchException failure =
          expectThrows(MismatchException.class, () -> works.get(0).await(LONG));
      assertTrue(
          failure.getMessage().contains("rank 3 called all_reduce of 101 f32 by sum"),
          failure.getMessage());
      assertTrue(
          failure.getMessage().contains("called all_reduce of 100 f32 by sum"),
          failure.getMessage());
    }
  }

  @DataProvider
  public Object[][] boards() {
    return new Object[][] {{false}, {true}};
  }

  @Test(dataProvider = "boards", timeOut = 60_000)
  public void shouldNameBothAlgorithmsWhenRanksPlanEqualCallsOtherwise(boolean board) {
    try (LocalJob job = new LocalJob("abc", LONG, board)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      List<Work> works = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        works.add(job.submit(rank, call, "all_reduce@" + (rank == 2 ? "doubling" : "pieces")));
      }
      for (Work work : works) {
        MismatchException failure = expectThrows(MismatchException.class, () -> work.await(LONG));
        assertTrue(
            failure
                .getMessage()
                .contains(
                    "plans all_reduce of 8 f32 by sum as pieces, but rank 2 as doubling; equal"),
            failure.getMessage());
      }
    }
  }

  @Test
  public void shouldSayWhoDidNotCallWhenTheDeadlinePasses() {
    try (LocalJob job = new LocalJob("abab", SHORT)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      Work work = job.submit(0, call);
      job.submit(1, call);
      job.submit(3, call);
      TomboloException failure =
          expectThrows(DeadlineExceededException.class, () -> work.await(LONG));
      assertTrue(failure.getMessage().contains("no vote from rank 2"), failure.getMessage());
      assertTrue(
          failure.getMessage().contains("rank 0: all_reduce of 8 f32 by sum (#1, 32 bytes, "),
          failure.getMessage());
    }
  }

  @Test
  public void shouldFailEveryOperationWhenAPeerDies() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      Work work = job.submit(0, CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false));
      Work behind = job.submit(0, CollectiveCall.allReduce(9, DataType.F32, ReduceOp.MAX, false));
      job.breakLinks(0);
      PeerFailedException failure = expectThrows(PeerFailedException.class, () -> work.await(LONG));
      String first =
          "rank 0: all_reduce of 8 f32 by sum \\(#1, 32 bytes, \\d+ ms\\): rank 1 is gone";
      assertTrue(failure.getMessage().matches(first), failure.getMessage());
      PeerFailedException suffered =
          expectThrows(PeerFailedException.class, () -> behind.await(LONG));
      String second = "rank 0: all_reduce of 9 f32 by max \\(#2, 36 bytes, \\d+ ms\\): ";
      assertTrue(suffered.getMessage().matches(second + first), suffered.getMessage());
      assertSame(suffered.getCause(), failure);
      assertEquals(behind.error(), Optional.of(suffered), "the same whoever asks");
      AbortedException later =
          expectThrows(
              AbortedException.class,
              () -> job.submit(0, CollectiveCall.allReduce(7, DataType.F32, ReduceOp.SUM, false)));
      assertEquals(
          later.getMessage(),
          "rank 0: all_reduce of 7 f32 by sum (#3, 28 bytes, 0 ms): the communicator failed before"
              + " this call: "
              + failure.getMessage());
    }
  }

  @Test
  public void shouldTellItsStateInANativeWordThatIsUsedAgain() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      Work first = job.submit(0, call);
      assertTrue(WorkState.decode(word(first)).phase().compareTo(Phase.DONE) < 0);
      assertFalse(first.buffersReleased());
      job.submit(1, call);
      first.await(LONG);
      assertEquals(WorkState.decode(word(first)), new WorkState(Phase.DONE, 0, 1));
      assertTrue(first.buffersReleased());
      assertEquals(first.bytes().crossBytes(), Map.of(1, 32L));
      for (int i = 0; i < Executor.PLACES.count(); i++) {
        job.allReduce(call).forEach(work -> work.await(LONG));
      }
      assertTrue(WorkState.decode(word(first)).sequence() > 1);
    }
  }

  @Test
  public void shouldHoldOnToBuffersOnlyIfItMayHaveUsedThem() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      Work reached = job.submit(0, call);
      Work behind = job.submit(0, call); // on the same stream, which does not get there
      while (WorkState.decode(word(reached)).phase() == Phase.QUEUED) {
        LockSupport.parkNanos(50_000);
      }
      job.breakLinks(0);
      assertThrows(PeerFailedException.class, () -> reached.await(LONG));
      assertThrows(PeerFailedException.class, () -> behind.await(LONG));
      int lost = WorkState.kindOf(behind.error().orElseThrow());
      assertFalse(reached.buffersReleased());
      assertEquals(
          WorkState.decode(word(reached)), new WorkState(Phase.FAILED_HOLDING_BUFFERS, lost, 1));
      assertTrue(behind.buffersReleased());
      assertEquals(WorkState.decode(word(behind)), new WorkState(Phase.FAILED, lost, 2));
    }
  }

  @Test
  public void shouldCloseAllChannelsAndTellOfANicThatDoesNotLetGo() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      job.allReduceAndCheck(8, ReduceOp.SUM, false);
      job.refuseToStop(0);
      assertThrows(FabricException.class, () -> job.closeExecutor(0));
      assertTrue(job.areLinksClosed(0), "some are open");
    }
  }

  private static long word(Work work) {
    return NativeMemory.cellAt(work.stateAddress()).getAcquire();
  }

  @Test
  public void shouldReleaseTheStreamWhenTheCallerAborts() throws InterruptedException {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      Work work = job.submit(0, CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false));
      work.abort();
      assertThrows(AbortedException.class, () -> work.await(LONG));
      IdleStream.await(job.stream(0), LONG);
      assertEquals(work.error().orElseThrow().advice().communicatorUsable(), false);
    }
  }
}
