// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;

import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.util.Optional;
import org.testng.annotations.Test;

/** What somebody from outside sees of a rank's life. */
public class PulseTest {
  private final Store store = new MemoryStore();
  private final RankClaim own = RankClaim.ofThisProcess();

  @Test
  public void shouldSeeNothingOfARankThatHasNotComeOrHasLeft() {
    assertEquals(Pulse.of(store, 7), Optional.empty());
    store.set(JobRound.claimOf(7), own.encode());
    assertEquals(Pulse.of(store, 7), Optional.empty());
  }

  @Test(timeOut = 60_000)
  public void shouldSeeHowItsProcessIs() throws Exception {
    Process stopped = new ProcessBuilder("sleep", "60").start();
    try {
      long pid = stopped.pid();
      assertEquals(state(0, own), Pulse.State.LIVES);
      assertEquals(state(1, of("elsewhere", own.pid())), Pulse.State.ELSEWHERE);
      assertEquals(state(2, of(own.hostId(), pid)), Pulse.State.LIVES);
      assertEquals(new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor(), 0);
      while (state(2, of(own.hostId(), pid)) != Pulse.State.STOPPED) {
        Thread.onSpinWait(); // a moment after the signal
      }
      stopped.destroyForcibly().waitFor();
      assertEquals(state(2, of(own.hostId(), pid)), Pulse.State.ENDED);
    } finally {
      stopped.destroyForcibly();
    }
  }

  private RankClaim of(String hostId, long pid) {
    return new RankClaim(hostId, own.space(), pid, 0, 1);
  }

  private Pulse.State state(int rank, RankClaim claim) {
    store.set(JobRound.claimOf(rank), claim.encode());
    store.set(Heartbeat.beatOf(rank), new Beat(3, 2000, 17, "the host").encode());
    Pulse pulse = Pulse.of(store, rank).orElseThrow();
    assertEquals(pulse, new Pulse(claim.where(), "the host", 3, 2000, 17, pulse.state()));
    return pulse.state();
  }
}
