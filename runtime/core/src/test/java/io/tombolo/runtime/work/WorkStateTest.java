// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.work.WorkState.Phase;
import java.util.HashSet;
import java.util.Set;
import org.testng.annotations.Test;

public class WorkStateTest {
  @Test
  public void shouldLieInTheWordAsDocumented() {
    int lost = WorkState.kindOf(new PeerFailedException("rank 3 is gone"));
    assertEquals(lost, 5);
    assertEquals(new WorkState(Phase.FAILED_HOLDING_BUFFERS, lost, 7).encode(), 0x7_05_04L);
    assertEquals(new WorkState(Phase.DONE, 0, 0xFFFF_FFFF_FFFFL).encode(), 0xFFFF_FFFF_FFFF_0002L);
  }

  @Test
  public void shouldReadBackWhatItWrote() {
    for (Phase phase : Phase.values()) {
      WorkState state = new WorkState(phase, 11, (1L << 48) - 1);
      assertEquals(WorkState.decode(state.encode()), state);
    }
  }

  @Test
  public void shouldHaveANumberForEveryErrorThereIs() {
    Set<String> kinds = new HashSet<>();
    for (Class<?> kind : TomboloException.class.getPermittedSubclasses()) {
      kinds.add(kind.getSimpleName());
    }
    assertTrue(WorkState.kinds().containsAll(kinds), kinds + " in " + WorkState.kinds());
  }
}
