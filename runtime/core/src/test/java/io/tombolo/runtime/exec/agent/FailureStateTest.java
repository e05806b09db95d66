// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
}
