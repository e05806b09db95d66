// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;

import java.util.Collections;
import java.util.List;
import org.testng.annotations.Test;

public final class AlikeClustersTest {
  @Test
  public void shouldNameTheClustersOfEachFact() {
    assertEquals(AlikeClusters.text(List.of()), "");
    assertEquals(AlikeClusters.text(List.of("a")), "0: a");
    assertEquals(AlikeClusters.text(List.of("a", "b", "a", "a", "b")), "0,2-3: a; 1,4: b");
  }

  @Test
  public void shouldBeShortWhereClustersAreAlike() {
    assertEquals(AlikeClusters.text(Collections.nCopies(1_250, "a")), "0-1249: a");
  }
}
