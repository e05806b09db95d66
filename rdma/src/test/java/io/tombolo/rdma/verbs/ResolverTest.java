// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.errors.FabricException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.testng.annotations.Test;

/** Whose turn it is where calls wait for each other, and what becomes of them. */
public final class ResolverTest {
  private final List<String> made = Collections.synchronizedList(new ArrayList<>());

  /** A call that is made once {@code gate} opens. */
  private static BooleanSupplier behind(CountDownLatch gate) {
    return () -> {
      Uninterruptibles.awaitUninterruptibly(gate);
      return true;
    };
  }

  private BooleanSupplier named(String name) {
    return () -> made.add(name);
  }

  @Test(timeOut = 60_000)
  public void shouldMakeTheCallFirstThatHasFailedLeast() {
    made.clear();
    CountDownLatch gate = new CountDownLatch(1);
    try (Resolver resolver = new Resolver()) {
      AddressCall first = resolver.submit(behind(gate), 0);
      AddressCall last = resolver.submit(named("failed twice"), 2);
      resolver.submit(named("failed once"), 1);
      resolver.submit(named("new"), 0);
      resolver.submit(named("newer"), 0);
      assertFalse(first.isOver() || last.isOver());
      gate.countDown();
      assertTrue(last.outcome());
      assertTrue(first.isOver() && first.outcome());
    }
    assertEquals(made, List.of("new", "newer", "failed once", "failed twice"));
    assertFalse(ResolverThreads.areAlive());
  }

  @Test(timeOut = 60_000)
  public void shouldNotMakeACallThatWasCancelledInTime() {
    made.clear();
    CountDownLatch gate = new CountDownLatch(1);
    try (Resolver resolver = new Resolver()) {
      AddressCall first =
          resolver.submit(
              () -> {
                made.add("first");
                return behind(gate).getAsBoolean();
              },
              0);
      AddressCall second = resolver.submit(named("second"), 0);
      while (made.isEmpty()) {
        Thread.onSpinWait();
      }
      first.cancel(); // too late
      second.cancel();
      assertTrue(second.isOver());
      assertFalse(second.outcome());
      assertFalse(first.isOver());
      gate.countDown();
      first.end();
      assertTrue(first.isOver() && first.outcome());
    }
    assertEquals(made, List.of("first"));
  }

  @Test(timeOut = 60_000)
  public void shouldThrowWhatTheCallThrewWhereItsOutcomeIsAsked() {
    FabricException error = new FabricException("no", 5);
    CountDownLatch begun = new CountDownLatch(1);
    try (Resolver resolver = new Resolver()) {
      AddressCall call =
          resolver.submit(
              () -> {
                begun.countDown();
                throw error;
              },
              0);
      // before that, its end would be its cancellation
      Uninterruptibles.awaitUninterruptibly(begun);
      call.end(); // waits, and throws nothing
      assertSame(expectThrows(FabricException.class, call::outcome), error);
    }
  }
}
