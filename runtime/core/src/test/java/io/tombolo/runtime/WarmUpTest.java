// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.UnavailableException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class WarmUpTest {
  private static final Duration BRIEFLY = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Pattern TURNS = Pattern.compile("; (\\d+) turns warmed it up in \\d+ ms");
  private static final CoreShare ENOUGH = new CoreShare(2, 2, false);

  @Test
  public void shouldTellNothingWhereNothingIsDone() {
    WarmUp none = WarmUp.begin(Duration.ZERO, ENOUGH, false);
    assertFalse(none.hasBegun());
    assertEquals(none.await(), "");
    CoreShare few = new CoreShare(2, 3, false);
    assertEquals(WarmUp.begin(LONG, few, false).await(), "");
  }

  @Test
  public void shouldEndWhenItsTimeIsOver() {
    CountDownLatch opened = new CountDownLatch(1);
    WarmUp warmUp = WarmUp.begun(BRIEFLY, () -> job(opened), new AtomicBoolean(true));
    warmUp.othersAreHere();
    String told = warmUp.await();
    assertTrue(told.matches("; \\d+ turns warmed it up( in \\d+ ms|, and are ending)"), told);
    assertOpens(opened);
  }

  @Test
  public void shouldEndSoonAndLeaveItToTheNextIfItIsGivenUp() {
    CountDownLatch opened = new CountDownLatch(1);
    AtomicBoolean taken = new AtomicBoolean(true);
    try (WarmUp warmUp = WarmUp.begun(LONG, () -> job(opened), taken)) {
      warmUp.close();
      String told = warmUp.await();
      Matcher line = TURNS.matcher(told);
      assertTrue(line.matches(), told);
      assertOpens(opened);
      // the next one's, unless enough came before
      assertEquals(taken.get(), Integer.parseInt(line.group(1)) >= WarmUp.ENOUGH, told);
    }
  }

  @DataProvider
  public Object[][] failures() {
    return new Object[][] {
      {new UnavailableException("no memory is shared here")},
      {new OutOfMemoryError("unable to create native thread")},
      {new NoClassDefFoundError("Channel")}
    };
  }

  @Test(dataProvider = "failures")
  public void shouldKeepNobodyFromJoiningIfItCannotBeDone(Throwable failure) {
    AtomicBoolean taken = new AtomicBoolean(true);
    assertEquals(WarmUp.begun(LONG, failing(failure), taken).await(), "; could not warm up");
    assertFalse(taken.get());
  }

  @Test
  public void shouldNotShowInWhatACommunicatorTells() {
    if (Runtime.getRuntime().availableProcessors() < 2
        || OpenFiles.areFewerLeftThan(WarmUp.FILES_LEFT)) {
      throw new SkipException("two ranks do not warm up here: cores or files are few");
    }
    WarmUp.TAKEN.set(false); // others in this process may have done it
    ImmutableSortedMap<String, String> settings = ImmutableSortedMap.of("warm_up_ms", "10000");
    try (ThreadRanks ranks = new ThreadRanks(2, settings)) {
      assertTrue(WarmUp.TAKEN.get(), "too few turns were made");
      for (Communicator each : ranks.all()) {
        assertEquals(each.activity().operations(), 0);
        assertEquals(each.activity().votes(), 0);
        assertEquals(each.traffic().intraBytes(), 0);
        assertEquals(each.traffic().crossBytes(), 0);
        assertEquals(each.traffic().copiedBytes(), 0);
      }
      ThreadRanks.assertUsable(ranks.all());
    }
  }

  private static Supplier<PrivateJob> failing(Throwable failure) {
    return () -> {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) failure;
    };
  }

  private static PrivateJob job(CountDownLatch opened) {
    PrivateJob job = new PrivateJob(false);
    opened.countDown();
    return job;
  }

  private static void assertOpens(CountDownLatch opened) {
    assertTrue(Uninterruptibles.awaitUninterruptibly(opened, LONG), "the job was not opened");
  }
}
