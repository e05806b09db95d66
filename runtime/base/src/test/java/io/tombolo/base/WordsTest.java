// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.annotations.Test;

/** The small words: types, deadlines, sizes, errors. */
public class WordsTest {

  @Test
  public void shouldReadTypesAndOperatorsInAnyCaseAndNameTheChoices() {
    assertEquals(DataType.parse("bF16"), DataType.BF16);
    assertEquals(ReduceOp.parse("SUM"), ReduceOp.SUM);
    UsageException error = expectThrows(UsageException.class, () -> DataType.parse("f31"));
    assertTrue(error.getMessage().contains("f32"), error.getMessage());
    assertThrows(UsageException.class, () -> ReduceOp.parse("mean"));
  }

  @Test
  public void shouldTellWhichOperatorsCombineWhichTypes() {
    assertTrue(ReduceOp.SUM.appliesTo(DataType.BOOL));
    assertFalse(ReduceOp.AVG.appliesTo(DataType.BOOL));
    assertTrue(ReduceOp.BXOR.appliesTo(DataType.U16));
    assertFalse(ReduceOp.BAND.appliesTo(DataType.F8E5M2));
    UsageException error =
        expectThrows(UsageException.class, () -> ReduceOp.BOR.requireAppliesTo(DataType.F32));
    assertTrue(error.getMessage().contains("i8, u8"), error.getMessage());
    assertTrue(error.getMessage().endsWith("bool"), error.getMessage());
  }

  @Test
  public void shouldDeclareNoOperatorForATypeThatItDoesNotApplyTo() {
    Capabilities all =
        Capabilities.of(
            EnumSet.allOf(Primitive.class),
            EnumSet.allOf(DataType.class),
            EnumSet.allOf(ReduceOp.class),
            Set.of());
    assertTrue(all.supports(Primitive.REDUCE, DataType.I8, ReduceOp.BAND));
    assertFalse(all.supports(Primitive.REDUCE, DataType.F32, ReduceOp.BAND));
  }

  @Test
  public void shouldExpireWhenItsTickerSaysSo() {
    AtomicLong nowNs = new AtomicLong(-500);
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return nowNs.get();
          }
        };
    Deadline deadline = Deadline.after(ticker, Duration.ofMillis(3));
    assertEquals(deadline.remainingMs(), 3);
    nowNs.addAndGet(2_999_999);
    assertFalse(deadline.isExpired());
    assertEquals(deadline.remainingMs(), 1);
    nowNs.addAndGet(1);
    assertTrue(deadline.isExpired());
    assertEquals(deadline.elapsedNs(), 3_000_000);
    nowNs.addAndGet(5_000_000);
    assertEquals(deadline.remainingMs(), 0);
    assertEquals(deadline.waitMs(), 1); // 0 is for ever
  }

  @Test
  public void shouldNotOverflowForTimesThatNeverPass() {
    for (Duration ever :
        List.of(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofNanos(Long.MAX_VALUE))) {
      Deadline deadline = Deadline.after(ever);
      assertFalse(deadline.isExpired());
      assertTrue(deadline.remainingNs() + Duration.ofDays(365).toNanos() > 0);
      assertEquals(deadline.remainingMs(), Integer.MAX_VALUE);
    }
    assertTrue(Deadline.after(Duration.ofSeconds(Long.MIN_VALUE)).isExpired());
  }

  @Test
  public void shouldAdviseToWaitAgainForWhatGoesOn() {
    for (TomboloException error :
        List.of(
            DeadlineExceededException.ofWait("it"),
            AbortedException.ofWait("it", new InterruptedException()))) {
      assertTrue(error.advice().communicatorUsable());
      assertFalse(error.advice().outputDefined());
      assertSame(error.metBy("call").advice(), error.advice());
    }
  }

  @Test
  public void shouldTellAnErrorAsPartOfTheFirstStoryOnly() {
    TomboloException error = new UsageException("no such thing");
    assertEquals(error.during("rank 1").getMessage(), "rank 1: no such thing");
    assertEquals(error.during("rank 2").getMessage(), "rank 1: no such thing");
    assertTrue(error.advice().communicatorUsable());
  }

  @Test
  public void shouldKeepTypeAdviceAndCodeWhenAnotherCallMeetsAnError() {
    List<TomboloException> family =
        List.of(
            new UsageException("it"),
            new UnsupportedException("it"),
            new UnavailableException("it"),
            new MismatchException("it"),
            new PeerFailedException("it"),
            new DeadlineExceededException("it"),
            new AbortedException("it"),
            new NoQuorumException("it"),
            new FabricException("it", -7),
            new VendorException("it", 719),
            new CorruptException("it"),
            new ResourceException("it"));
    assertEquals(family.size(), TomboloException.class.getPermittedSubclasses().length);
    for (TomboloException error : family) {
      String before = error.during("call 1").getMessage();
      TomboloException met = error.metBy("call 2");
      assertSame(met.getClass(), error.getClass());
      assertSame(met.advice(), error.advice());
      assertSame(met.getCause(), error);
      assertEquals(met.getMessage(), "call 2: " + before);
      assertEquals(error.getMessage(), before, "the shared one stays as it was");
    }
    assertEquals(((FabricException) family.get(8).metBy("call")).rawCode(), -7);
    assertEquals(((VendorException) family.get(9).metBy("call")).rawCode(), 719);
  }

  @Test
  public void shouldNameThisHostAlwaysAlike() {
    assertEquals(HostId.local(), HostId.local());
    assertTrue(HostId.local().matches("[0-9a-f]{16}"), HostId.local());
  }
}
