// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.HeldCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Which of several failures a communicator ends with. */
public final class FailureStateTest {
  private final TomboloException cause = new AbortedException("rank 1 aborted the communicator");

  @DataProvider
  private static Object[][] secondHand() {
    return new Object[][] {
      {new PeerFailedException("rank 1 is gone")},
      {VendorException.ofAnotherMember("NCCL: all_reduce failed", 6)},
      {VendorException.ofAnotherMember("NCCL: all_reduce failed", 6).metBy("all_reduce")},
    };
  }

  @Test(dataProvider = "secondHand")
  public void shouldAskWhyBeforeItFailsBecauseOfWhatWasSeenOfOthers(TomboloException seen) {
    List<TomboloException> asked = new ArrayList<>();
    FailureState state = new FailureState();
    state.onLoss(asked::add);
    state.meet(seen);
    state.meet(new PeerFailedException("rank 2 is gone"));
    assertFalse(state.hasFailed());
    assertEquals(asked, List.of(seen));
    state.fail(cause);
    assertSame(state.failure().orElseThrow(), cause);
  }

  @Test
  public void shouldLetNobodyHearBeforeThoseWhoAreToldFirst() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    FailureState state = heldUpBy(told);
    HeldCall<Boolean> failing = failing(state);
    assertTrue(state.hasFailed());
    assertEquals(state.failure(), Optional.empty());
    HeldCall<TomboloException> asking =
        HeldCall.start(state::awaitFailure).awaitIn(FailureState.class, "awaitFailure");
    assertFalse(asking.isDone());
    told.countDown();
    assertSame(asking.get(), cause);
    assertTrue(failing.get());
    assertSame(state.failure().orElseThrow(), cause);
  }

  /** Who aborts frees its memory then, though another thread has been first. */
  @Test
  public void shouldHoldWhoAbortsUntilItMayHear() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    FailureState state = heldUpBy(told);
    HeldCall<Boolean> failing = failing(state);
    HeldCall<Boolean> aborting =
        HeldCall.start(() -> abort(state)).awaitIn(FailureState.class, "awaitFailure");
    told.countDown();
    assertTrue(failing.get());
    assertTrue(aborting.get());
  }

  /** One that has those that are told first wait for {@code told}. */
  private static FailureState heldUpBy(CountDownLatch told) {
    FailureState state = new FailureState();
    state.onFailureFirst(failed -> Uninterruptibles.awaitUninterruptibly(told));
    return state;
  }

  private HeldCall<Boolean> failing(FailureState state) throws Exception {
    return HeldCall.start(() -> fail(state)).awaitIn(FailureState.class, "tell");
  }

  private static boolean abort(FailureState state) {
    state.abort(new AbortedException("another"));
    return state.failure().isPresent();
  }

  @Test
  public void shouldLetCallersHearBeforeTheRestIsTold() {
    FailureState state = new FailureState();
    List<String> told = new ArrayList<>();
    state.onFailureFirst(failed -> told.add("libraries"));
    state.onFailure(failed -> told.add("others"));
    Runnable rest = state.begin(cause);
    assertEquals(told, List.of("libraries"));
    assertSame(state.failure().orElseThrow(), cause);
    rest.run();
    assertEquals(told, List.of("libraries", "others"));
    state.begin(new AbortedException("another")).run();
    assertEquals(told, List.of("libraries", "others"));
  }

  @Test(dataProvider = "secondHand")
  public void shouldGiveACallerTheCauseThatTheInquiryFinds(TomboloException seen) {
    FailureState state = new FailureState();
    state.onLoss(loss -> new Thread(() -> state.fail(cause)).start());
    assertSame(state.awaitOutcome(seen), cause);
  }

  @Test
  public void shouldFailAtOnceBecauseOfWhatALibrarySaysOfItself() {
    FailureState state = new FailureState();
    state.onLoss(
        loss -> {
          throw new AssertionError(loss);
        });
    VendorException own = new VendorException("NCCL: all_reduce failed", 5);
    state.meet(own);
    assertEquals(state.failure(), Optional.of(own));
  }

  /** Who leaves closes the store through which another thread is just telling of the failure. */
  @Test(timeOut = 120_000)
  public void shouldHoldWhoLeavesUntilAllAreTold() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    List<String> heard = new CopyOnWriteArrayList<>();
    FailureState state = new FailureState();
    state.awaitTold(); // nothing has failed
    state.onFailure(
        failure -> {
          Uninterruptibles.awaitUninterruptibly(answered);
          heard.add(failure.getMessage());
        });
    HeldCall<Boolean> failing = failing(state);
    HeldCall<List<String>> leaving =
        HeldCall.start(() -> leave(state, heard)).awaitIn(FailureState.class, "awaitTold");
    answered.countDown();
    assertEquals(leaving.get(), List.of(cause.getMessage()));
    assertTrue(failing.get());
  }

  private boolean fail(FailureState state) {
    state.fail(cause);
    return true;
  }

  private static List<String> leave(FailureState state, List<String> heard) {
    state.awaitTold();
    return List.copyOf(heard);
  }
}
