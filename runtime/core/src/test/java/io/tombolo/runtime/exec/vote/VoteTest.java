// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.io.BaseEncoding;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Scheme;
import io.tombolo.runtime.plan.Scheme.Way;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.Random;
import org.testng.annotations.Test;

public class VoteTest {
  private static final Vote.Ballot HUNDRED =
      new Vote.Ballot(
          3,
          Collective.REDUCE,
          DataType.F32,
          ReduceOp.MAX,
          Reduction.Kind.BY,
          100,
          2,
          6,
          Way.SEVERAL,
          0x1020304050607080L);
  private static final Vote.Ballot OTHER =
      new Vote.Ballot(
          5,
          Collective.ALL_REDUCE,
          DataType.BF16,
          ReduceOp.SUM,
          Reduction.Kind.PRE_MULTIPLIED,
          101,
          0,
          0,
          Way.DOUBLING,
          0);

  /** Worked out by hand from the layout in {@link Vote}. */
  private static final String GOLDEN =
      "54425654"
          + "02"
          + "01"
          + "00"
          + "06"
          + "1122334455667708"
          + "03000000"
          + "01"
          + "0a"
          + "03"
          + "01"
          + "6400000000000000"
          + "02000000"
          + "06000000"
          + "8070605040302010"
          + "05000000"
          + "00"
          + "09"
          + "00"
          + "02"
          + "6500000000000000"
          + "00000000"
          + "00000000"
          + "0000000000000000";

  @Test
  public void shouldMatchTheGoldenBytes() {
    byte[] bytes = new byte[Vote.SIZE_BYTES];
    new Vote(0x0877665544332211L, HUNDRED, Optional.of(OTHER))
        .encode(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    assertEquals(BaseEncoding.base16().lowerCase().encode(bytes), GOLDEN);
  }

  @Test
  public void shouldReadBackWhatItWrote() {
    for (Vote vote :
        new Vote[] {
          new Vote(1, HUNDRED, Optional.empty()), new Vote(2, OTHER, Optional.of(HUNDRED))
        }) {
      ByteBuffer buffer = buffer();
      vote.encode(buffer);
      assertEquals(Vote.decode(buffer), vote);
    }
  }

  @Test
  public void shouldSeeItselfRepeatedByAnotherRankOnly() {
    Vote vote = new Vote(7, HUNDRED, Optional.empty());
    for (int at = 0; at < 48; at++) {
      boolean matters = at != 7 && (at < 16 || at >= 20); // neither how another is planned nor rank
      ByteBuffer buffer = buffer();
      vote.encode(buffer);
      assertTrue(vote.isRepeatedIn(buffer));
      buffer.put(at, (byte) (buffer.get(at) ^ 1));
      assertEquals(vote.isRepeatedIn(buffer), !matters, "byte " + at);
    }
    ByteBuffer differing = buffer();
    new Vote(7, HUNDRED, Optional.of(OTHER)).encode(differing);
    assertFalse(vote.isRepeatedIn(differing));
    assertFalse(new Vote(7, HUNDRED, Optional.of(OTHER)).isRepeatedIn(differing));
  }

  @Test
  @SuppressWarnings("EnumOrdinal") // what is tested is that the codes are the positions
  public void shouldUsePositionsAsCodes() {
    for (DataType type : DataType.values()) {
      assertEquals(type.code(), type.ordinal());
    }
    for (ReduceOp op : ReduceOp.values()) {
      assertEquals(op.code(), op.ordinal());
    }
    for (Way way : Way.values()) {
      assertEquals(way.code(), way.ordinal());
    }
  }

  @Test
  public void shouldKeepTheFirstDifference() {
    Vote same = new Vote(1, HUNDRED, Optional.empty());
    Vote different = new Vote(1, OTHER, Optional.empty());
    assertFalse(same.and(same).other().isPresent());
    assertEquals(same.and(different).other(), Optional.of(OTHER));
    assertEquals(same.and(new Vote(1, OTHER, Optional.of(HUNDRED))).call(), OTHER);
    assertEquals(same.and(different).and(same).other(), Optional.of(OTHER));
  }

  @Test
  public void shouldTellCallsApartThatAreMadeAsOtherGroupsOrPlannedOtherwise() {
    Vote.Ballot mine = sum(0, 5, Way.PIECES, 8);
    assertTrue(mine.sameCallAs(sum(1, 5, Way.PIECES, 8)), "another rank's");
    assertFalse(mine.sameCallAs(sum(1, 6, Way.PIECES, 8)), "another group");
    assertFalse(mine.sameCallAs(sum(1, 5, Way.DIRECT, 8)), "another way");
    assertFalse(mine.sameCallAs(sum(1, 5, Way.PIECES, 9)), "another digest of the plan");
  }

  @Test
  public void shouldSayHowEqualCallsArePlannedIfThatDiffers() {
    String planned = mismatch(sum(0, 5, Way.DOUBLING, 8), sum(2, 5, Way.DIRECT, 8));
    assertTrue(
        planned.startsWith(
            "rank 0 plans all_reduce of 8 f32 by sum as doubling, but rank 2 as direct; equal calls"
                + " must be planned alike; run the same build on every rank, "),
        planned);
    String cut = mismatch(sum(0, 5, Way.DIRECT, 8), sum(2, 5, Way.DIRECT, 9));
    assertTrue(
        cut.startsWith(
            "rank 0 called all_reduce of 8 f32 by sum, but rank 2 called all_reduce of 8 f32 by sum;"
                + " what differs is not told here: "),
        cut);
    String called = mismatch(sum(0, 5, Way.DIRECT, 8), OTHER);
    assertTrue(
        called.endsWith(
            " by sum after multiplying; every rank must make the same calls in the same order;"
                + " restart the job"),
        called);
  }

  private static String mismatch(Vote.Ballot one, Vote.Ballot other) {
    ByteBuffer buffer = buffer();
    new Vote(1, one, Optional.of(other)).encode(buffer);
    return Vote.decode(buffer).mismatch();
  }

  private static Vote.Ballot sum(int rank, long group, Way way, long digest) {
    CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, rank == 0);
    return Vote.Ballot.of(rank, group, call, new Scheme(way, digest));
  }

  @Test
  public void shouldRefuseWhatNoPeerSends() {
    long seed = 7;
    Random random = new Random(seed);
    int refused = 0;
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = BaseEncoding.base16().lowerCase().decode(GOLDEN);
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        Vote.decode(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
      } catch (CorruptException e) {
        refused++;
      }
    }
    assertTrue(refused > 1_000, "only " + refused + " of 10000 mutants refused, seed " + seed);
    assertThrows(CorruptException.class, () -> Vote.decode(buffer()));
  }

  private static ByteBuffer buffer() {
    return ByteBuffer.allocate(Vote.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }
}
