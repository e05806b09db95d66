// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Scheme;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Votes in memory that all ranks see. */
public class VoteBoardTest {
  private static final int SIZE = 3;
  private static final Scheme SCHEME = new Scheme(Scheme.Way.PIECES, 0);

  private ByteBuffer memory;
  private VoteBoard[] boards;

  @BeforeMethod
  public void share() {
    memory = ByteBuffer.allocateDirect(VoteBoard.sizeBytes(SIZE));
    boards = new VoteBoard[SIZE];
    for (int rank = 0; rank < SIZE; rank++) {
      boards[rank] = new VoteBoard(memory.duplicate(), rank, SIZE);
    }
  }

  private static Vote vote(long sequence, int rank, long count) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    return new Vote(sequence, Vote.Ballot.of(rank, 0, call, SCHEME), Optional.empty());
  }

  @Test
  public void shouldBeCompleteWhenTheLastHasVotedAndNameTheFirstThatHasNot() {
    Vote mine = vote(1, 0, 8);
    boards[0].cast(mine);
    assertFalse(boards[0].isComplete(mine));
    assertEquals(boards[0].missing(), 1);
    boards[1].cast(vote(1, 1, 8));
    assertFalse(boards[0].isComplete(mine));
    assertEquals(boards[0].missing(), 2);
    boards[2].cast(vote(1, 2, 8));
    assertTrue(boards[0].isComplete(mine));
    assertSame(boards[0].sum(mine), mine);
  }

  /** Rank 1 is ahead as far as it can be, whether or not others have come to its first vote. */
  @Test
  public void shouldKeepAVoteUntilAllHaveReadIt() {
    long ahead = 0;
    for (long sequence = 1; sequence <= 3 * VoteBoard.DEPTH; sequence++) {
      while (boards[1].hasRoom(ahead + 1)) {
        ahead++;
        boards[1].cast(vote(ahead, 1, ahead));
      }
      assertEquals(ahead, sequence - 1 + VoteBoard.DEPTH);
      Vote mine = vote(sequence, 0, sequence);
      boards[0].cast(mine);
      boards[2].cast(vote(sequence, 2, sequence));
      for (int rank = 0; rank < SIZE; rank++) {
        assertFalse(boards[1].hasRoom(ahead + 1), "rank " + rank + " has not read");
        assertEquals(boards[1].slowest(), rank);
        boards[rank].begin();
        assertTrue(boards[rank].isComplete(mine));
        assertSame(boards[rank].sum(mine), mine);
        boards[rank].read(sequence);
      }
    }
  }

  /** Its caller may have shown it before the agent does, and the others gone on since. */
  @Test
  public void shouldLeaveAVoteThatIsShownAlready() {
    boards[0].cast(vote(1, 0, 8));
    boards[0].cast(vote(1, 0, 9));
    Vote mine = vote(1, 1, 8);
    boards[1].cast(mine);
    boards[2].cast(vote(1, 2, 8));
    assertTrue(boards[1].isComplete(mine));
    assertSame(boards[1].sum(mine), mine);
  }

  @Test
  public void shouldShowAllRanksTheSameDifference() {
    Vote[] votes = {vote(4, 0, 8), vote(4, 1, 8), vote(4, 2, 9)};
    for (int rank = 0; rank < SIZE; rank++) {
      boards[rank].cast(votes[rank]);
    }
    for (int rank = 0; rank < SIZE; rank++) {
      assertTrue(boards[rank].isComplete(votes[rank]));
      Vote sum = boards[rank].sum(votes[rank]);
      assertTrue(sum.call().sameCallAs(votes[0].call()), "rank " + rank + " has " + sum);
      assertEquals(sum.other(), Optional.of(votes[2].call()));
    }
  }

  @Test
  public void shouldRefuseWhatNoPeerShows() {
    Vote mine = vote(2, 0, 8);
    for (int rank = 0; rank < SIZE; rank++) {
      boards[rank].cast(vote(2, rank, 8));
    }
    for (int at = 0; at < memory.capacity(); at++) {
      if (at % 128 >= 16) {
        memory.put(at, (byte) 0xFF);
      }
    }
    assertTrue(boards[0].isComplete(mine));
    expectThrows(CorruptException.class, () -> boards[0].sum(mine));
  }
}
