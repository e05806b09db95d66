// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.FabricException;
import io.tombolo.emulated.hca.EmulatedHca;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** How the lanes to one peer end, of which the NIC refuses to stop some. */
public final class PeerEndTest {
  private static final String REFUSALS = "EIO_PERCENT";
  private static final int PATHS = 8;

  /** Of 256 ways in which 8 lanes are refused or not, 9 have no aborted one after a refused one. */
  private static final int TRIES = 20;

  @AfterMethod
  public void repair() {
    EmulatedHca.set(REFUSALS, "0");
  }

  @Test(timeOut = 120_000)
  public void shouldAbortTheLanesThatComeAfterOneThatIsRefused() {
    try (LossySide side = new LossySide(PairType.UC, 0)) {
      boolean seen = false;
      for (int i = 0; i < TRIES && !seen; i++) {
        PeerEnd end = new PeerEnd(side.port, PATHS);
        List<SendLane> lanes = end.pairs().stream().map(end::lane).toList();
        EmulatedHca.set(REFUSALS, "50");
        boolean refused = isRefused(end::abort);
        EmulatedHca.set(REFUSALS, "100"); // only of lanes that are not aborted anything is asked
        List<Boolean> left = lanes.stream().map(lane -> isRefused(lane::abort)).toList();
        EmulatedHca.set(REFUSALS, "0");
        assertEquals(refused, left.contains(true), "what was told of " + left);
        seen = left.contains(true) && left.lastIndexOf(false) > left.indexOf(true);
        end.abort();
        end.close();
      }
      assertTrue(seen, "after a lane that was refused, no other was tried");
    }
  }

  private static boolean isRefused(Runnable doing) {
    try {
      doing.run();
      return false;
    } catch (FabricException e) {
      return true;
    }
  }
}
