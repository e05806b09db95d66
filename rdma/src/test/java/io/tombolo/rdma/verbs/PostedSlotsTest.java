// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.verbs.PortAttributes.Link;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

/** Which slots are free again when a request has completed. */
public final class PostedSlotsTest {
  private final List<Integer> freed = new ArrayList<>();

  @Test
  public void shouldFreeAllBeforeARequestWhenTheyCompleteInOrder() {
    PostedSlots slots = PostedSlots.of(Link.ETHERNET, 3);
    freed.clear();
    slots.add(7);
    long second = slots.add(5);
    long third = slots.add(6);
    assertFalse(slots.hasRoom());
    assertEquals(slots.flags(), 0);
    assertTrue(slots.complete(second, freed::add));
    assertEquals(freed, List.of(7, 5));
    assertFalse(slots.complete(second, freed::add), "twice");
    assertFalse(slots.complete(third + 1, freed::add), "not posted");
    slots.free(freed::add);
    assertEquals(freed, List.of(7, 5, 6));
    assertTrue(slots.isEmpty());
  }

  /** What was posted before it, the NIC may still read. */
  @Test
  public void shouldFreeOnlyWhatHasCompletedWhereRequestsDoSoInAnyOrder() {
    PostedSlots slots = PostedSlots.of(Link.UNSPECIFIED, 3);
    freed.clear();
    long first = slots.add(700);
    long second = slots.add(5);
    long third = slots.add(6);
    assertFalse(slots.hasRoom());
    assertEquals(slots.flags(), SendRequests.SIGNALLED);
    assertTrue(slots.complete(third, freed::add));
    assertEquals(freed, List.of(6));
    assertFalse(slots.complete(third, freed::add), "twice");
    assertFalse(slots.complete(1L << 40, freed::add), "not posted");
    assertTrue(slots.hasRoom());
    assertTrue(slots.complete(first, freed::add));
    assertEquals(freed, List.of(6, 700));
    slots.free(freed::add);
    assertEquals(freed, List.of(6, 700, 5));
    assertTrue(slots.isEmpty());
    assertFalse(slots.complete(second, freed::add), "free already");
  }
}
