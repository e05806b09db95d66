// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.CorruptException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Grants that come late, as from an adapter that places writes out of order, and such as none. */
public final class GrantedSlotsTest {
  private static final int SLOTS = 3;

  /** Around what an immediate's 31 bits hold, once and more often. */
  @DataProvider
  public Object[][] published() {
    return new Object[][] {
      {2L * SLOTS}, {1L << 31}, {(1L << 31) + 2}, {(1L << 32) - 1}, {1L << 40}
    };
  }

  private static int immediate(long sequence) {
    return (int) sequence & Integer.MAX_VALUE;
  }

  @Test(dataProvider = "published")
  public void shouldTakeThoseOfTwoLapsBeforeAndOneAhead(long published) {
    for (long due = published - 2 * SLOTS; due < published + SLOTS; due++) {
      GrantedSlots granted = new GrantedSlots(SLOTS);
      granted.add(immediate(due), published);
      for (long other = published - 2 * SLOTS; other < published + 2 * SLOTS; other++) {
        assertEquals(granted.has(other), other == due, other + " by a grant of " + due);
      }
    }
  }

  @Test(dataProvider = "published")
  public void shouldRefuseAllOthers(long published) {
    GrantedSlots granted = new GrantedSlots(SLOTS);
    for (long wrong : new long[] {published - 2 * SLOTS - 1, published + SLOTS, published + 99}) {
      assertThrows(CorruptException.class, () -> granted.add(immediate(wrong), published));
    }
    assertFalse(granted.has(published));
  }

  @Test
  public void shouldForgetTheGrantOfASlotForItsNext() {
    GrantedSlots granted = new GrantedSlots(SLOTS);
    granted.add(1, 1);
    granted.add(1 + SLOTS, 1 + SLOTS);
    assertTrue(granted.has(1 + SLOTS));
    assertFalse(granted.has(1));
  }
}
