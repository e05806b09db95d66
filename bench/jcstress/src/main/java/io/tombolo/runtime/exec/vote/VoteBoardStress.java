// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Scheme;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two ranks vote on more operations than there are places, so that some are used again. */
@JCStressTest
@Outcome(id = "18, 18", expect = Expect.ACCEPTABLE, desc = "both saw each vote whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "a vote was seen before it was written")
@State
public class VoteBoardStress {
  private static final int SIZE = 2;
  private static final Scheme SCHEME = new Scheme(Scheme.Way.PIECES, 0);
  private static final int OPERATIONS = VoteBoard.DEPTH + 2;
  private static final Vote[][] VOTES = votes();

  private final ByteBuffer memory = ByteBuffer.allocateDirect(VoteBoard.sizeBytes(SIZE));

  private static Vote[][] votes() {
    Vote[][] votes = new Vote[SIZE][OPERATIONS];
    for (int rank = 0; rank < SIZE; rank++) {
      for (int i = 0; i < OPERATIONS; i++) {
        // Ranks and operations differ in their counts: no vote is like another.
        CollectiveCall call =
            CollectiveCall.allReduce(1 + 2L * i + rank, DataType.F32, ReduceOp.SUM, false);
        votes[rank][i] = new Vote(1 + i, Vote.Ballot.of(rank, 0, call, SCHEME), Optional.empty());
      }
    }
    return votes;
  }

  @Actor
  public void first(II_Result result) {
    result.r1 = vote(0);
  }

  @Actor
  public void second(II_Result result) {
    result.r2 = vote(1);
  }

  /** Who throws here would leave the other one waiting. */
  private static boolean isRight(VoteBoard board, Vote mine, int operation) {
    try {
      return board.sum(mine).equals(VOTES[0][operation].and(VOTES[1][operation]));
    } catch (CorruptException e) {
      return false;
    }
  }

  private int vote(int rank) {
    VoteBoard board = new VoteBoard(memory.duplicate(), rank, SIZE);
    int right = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      Vote mine = VOTES[rank][i];
      while (!board.hasRoom(mine.sequence())) {
        Thread.onSpinWait();
      }
      board.cast(mine);
      board.begin();
      while (!board.isComplete(mine)) {
        Thread.onSpinWait();
      }
      right += isRight(board, mine, i) ? 1 : 0;
      board.read(mine.sequence());
    }
    return right;
  }
}
