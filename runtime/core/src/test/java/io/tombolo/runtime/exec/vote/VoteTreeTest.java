// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.run.Executor;
import io.tombolo.runtime.exec.run.MemoryChannel;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Scheme;
import io.tombolo.runtime.plan.Scheme.Way;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole trees of votes in one process, driven in steps: in each, all messages take one hop. */
public class VoteTreeTest {
  private final HostDevice device = new HostDevice();
  private Agent agent;
  private Stream stream;
  private List<Map<Integer, Channel>> channels;
  private List<CallCheck> checks;
  private BitSet isOver;
  private List<String> mismatches;

  @BeforeMethod
  public void open() {
    agent = new Agent(() -> false);
    stream = device.newStream();
    channels = new ArrayList<>();
    checks = new ArrayList<>();
    isOver = new BitSet();
    mismatches = new ArrayList<>();
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    checks.forEach(CallCheck::close);
    stream.close();
    agent.close();
  }

  private void plant(int size) {
    plant(size, Optional.empty());
  }

  private void plant(int size, Optional<ByteBuffer> board) {
    for (int rank = 0; rank < size; rank++) {
      channels.add(new HashMap<>());
    }
    for (int rank = 0; rank < size; rank++) {
      for (int peer : CallCheck.neighbours(rank, size)) {
        if (peer > rank) {
          MemoryChannel[] pair = MemoryChannel.pair(rank, peer);
          channels.get(rank).put(peer, pair[0]);
          channels.get(peer).put(rank, pair[1]);
        }
      }
    }
    for (int rank = 0; rank < size; rank++) {
      int mine = rank;
      checks.add(
          new CallCheck(
              rank,
              size,
              0,
              channels.get(rank),
              board.map(memory -> new VoteBoard(memory.duplicate(), mine, size))));
    }
  }

  /** The first operation of a rank that calls and plans so; all ranks here may share one. */
  private SubmittedOperation operation(long count, Way way) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    Plan plan = new Plan(call, 0, new Scheme(way, 0), ImmutableList.of(), 0, 0, 0, 0);
    SubmissionQueue submissions =
        new SubmissionQueue(
            0,
            Executor.PLACES,
            new Doorbells(device),
            HoldableStreams.all(),
            Duration.ofMinutes(1),
            new FailureState(),
            agent,
            FlightRing.OFF,
            () -> {});
    return submissions.submit(
        Submission.of(new Task(plan, 0, 0), 1), CallOptions.STANDARD.withoutStreamWait(), stream);
  }

  @DataProvider
  public Object[][] sizes() {
    return new Object[][] {{2, 2}, {8, 6}, {10_000, 26}};
  }

  /** Each rank does what it can; what it sends arrives in the next step. */
  private void step() {
    if (!isOver.get(0)) {
      work(0);
      for (int rank = 1; rank < checks.size() && !isOver.get(0); rank++) {
        work(rank); // parents first, as votes go up
      }
      return;
    }
    for (int rank = checks.size() - 1; rank > 0; rank--) {
      work(rank); // children first, as verdicts go down
    }
  }

  private void work(int rank) {
    if (isOver.get(rank)) {
      return;
    }
    try {
      int unused = checks.get(rank).work();
      isOver.set(rank, checks.get(rank).agreed(1));
    } catch (MismatchException e) {
      isOver.set(rank);
      mismatches.add(e.getMessage());
    }
  }

  private int stepsUntilAllKnow(int limit) {
    int steps = 0;
    while (isOver.cardinality() < checks.size()) {
      step();
      steps++;
      assertTrue(steps <= limit, "not all know after " + steps + " steps");
    }
    return steps;
  }

  @Test(timeOut = 60_000, dataProvider = "sizes")
  public void shouldTakeTwoMessagesForEachRankAndTwiceTheDepthInHops(int size, int hops) {
    plant(size);
    SubmittedOperation same = operation(100, Way.PIECES);
    checks.forEach(check -> check.begin(same));
    assertEquals(stepsUntilAllKnow(2 * hops) - 1, hops); // the last verdict is read, not sent
    assertEquals(mismatches, List.of());
    long messages = 0;
    for (Map<Integer, Channel> each : channels) {
      long sent = each.values().stream().mapToLong(Channel::sentBytes).sum() / Vote.SIZE_BYTES;
      assertTrue(sent <= 3, "a rank sent " + sent);
      messages += sent;
    }
    assertEquals(messages, 2L * (size - 1));
  }

  @Test(timeOut = 60_000, dataProvider = "sizes")
  public void shouldTellAllRanksOfTheOneThatCallsSomethingElse(int size, int hops) {
    voteUntilAllKnow(size, hops, operation(100, Way.PIECES), operation(101, Way.PIECES));
    for (String mismatch : mismatches) {
      assertTrue(
          mismatch.contains("called all_reduce of 100 f32 by sum, but rank " + (size - 1)),
          mismatch);
      assertTrue(mismatch.contains("called all_reduce of 101 f32 by sum"), mismatch);
    }
  }

  /** All vote on {@code most} but the last rank, on {@code last}; all hear of it. */
  private void voteUntilAllKnow(
      int size, int hops, SubmittedOperation most, SubmittedOperation last) {
    plant(size);
    checks.forEach(check -> check.begin(check == checks.get(size - 1) ? last : most));
    int unused = stepsUntilAllKnow(2 * hops);
    assertEquals(mismatches.size(), size);
  }

  /** It has shown it before it went: on a board of all ranks. */
  @Test(timeOut = 60_000)
  public void shouldCountTheVoteOfOneThatHasGone() {
    plant(2, Optional.of(ByteBuffer.allocateDirect(VoteBoard.sizeBytes(2))));
    SubmittedOperation same = operation(100, Way.PIECES);
    checks.get(1).begin(same);
    breakLink(0, 1);
    checks.get(0).begin(same);
    work(0);
    assertTrue(checks.get(0).agreed(1));
    assertEquals(checks.get(0).nextGone().getMessage(), "rank 1 is gone");
    assertNull(checks.get(0).nextGone(), "it is told once");
  }

  @Test(timeOut = 60_000)
  public void shouldTellByALookWhetherWordsAreLackingOnABoard() {
    plant(2, Optional.of(ByteBuffer.allocateDirect(VoteBoard.sizeBytes(2))));
    CallCheck first = checks.get(0);
    assertFalse(first.lacksVotes(), "no vote is taken");
    SubmittedOperation same = operation(100, Way.PIECES);
    first.begin(same);
    assertEquals(first.look(), 0);
    assertTrue(first.lacksVotes());
    checks.get(1).begin(same);
    assertFalse(first.lacksVotes());
    work(0);
    assertTrue(first.agreed(1));
    assertFalse(first.lacksVotes(), "the vote is over");
  }

  @Test(timeOut = 60_000)
  public void shouldDecideAtOnceForWhoComesLastToABoard() {
    plant(2, Optional.of(ByteBuffer.allocateDirect(VoteBoard.sizeBytes(2))));
    SubmittedOperation same = operation(100, Way.PIECES);
    checks.get(0).begin(same);
    checks.get(1).begin(same);
    assertEquals(checks.get(1).look(), 1);
    assertTrue(checks.get(1).agreed(1));
  }

  /** There is no board to look at: only messages tell. */
  @Test(timeOut = 60_000)
  public void shouldTellNothingByALookWhereVotesAreMessages() {
    plant(2);
    checks.get(0).begin(operation(100, Way.PIECES));
    assertFalse(checks.get(0).lacksVotes());
    assertEquals(checks.get(0).look(), 0);
  }

  @DataProvider
  public Object[][] boards() {
    return new Object[][] {
      {Optional.empty()}, {Optional.of(ByteBuffer.allocateDirect(VoteBoard.sizeBytes(3)))}
    };
  }

  @Test(timeOut = 60_000, dataProvider = "boards")
  public void shouldNotWaitForTheVoteOfOneThatHasGone(Optional<ByteBuffer> board) {
    plant(3, board);
    checks.get(0).begin(operation(100, Way.PIECES));
    work(0);
    breakLink(0, 1);
    PeerFailedException gone = expectThrows(PeerFailedException.class, () -> checks.get(0).work());
    assertEquals(gone.getMessage(), "rank 1 is gone");
  }

  @Test(timeOut = 60_000)
  public void shouldNotWaitForTheVerdictOfOneThatHasGone() {
    plant(2);
    checks.get(1).begin(operation(100, Way.PIECES));
    work(1);
    breakLink(1, 0);
    assertThrows(PeerFailedException.class, () -> checks.get(1).work());
  }

  private void breakLink(int rank, int peer) {
    ((MemoryChannel) channels.get(rank).get(peer)).breakNow();
  }

  @Test(timeOut = 60_000, dataProvider = "sizes")
  public void shouldTellAllRanksOfTheOneThatPlansOtherwise(int size, int hops) {
    voteUntilAllKnow(size, hops, operation(8, Way.DOUBLING), operation(8, Way.DIRECT));
    for (String mismatch : mismatches) {
      assertTrue(
          mismatch.contains(
              "plans all_reduce of 8 f32 by sum as doubling, but rank "
                  + (size - 1)
                  + " as direct;"),
          mismatch);
    }
  }
}
