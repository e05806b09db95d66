// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

public class RankClaimTest {
  private static final String SPACE = "pid:[4026531836]";

  @Test
  public void shouldLookForItself() {
    RankClaim claim = RankClaim.ofThisProcess();
    assertTrue(claim.isNear() && !claim.isGone() && !claim.isStopped(), claim.toString());
    assertEquals(RankClaim.decode(claim.encode(), 3), claim);
  }

  /** As by {@code unshare --pid --fork}: other processes have its number there, or none. */
  @Test
  public void shouldLookForNobodyByNumbersThatProcDoesNotTellOf() {
    assertEquals(RankClaim.spaceOf(7, "7", SPACE), SPACE);
    String unseen = RankClaim.spaceOf(7, "2179", SPACE);
    assertNotEquals(unseen, SPACE);
    assertNotEquals(unseen, RankClaim.spaceOf(7, "2179", SPACE));
    assertEquals(unseen.indexOf(' '), -1, "spaces separate the parts of a claim");
  }
}
