// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.testng.annotations.Test;

public final class SlotLinesTest {
  private final SlotLines lines = new SlotLines(16);
  private final SlotLines.Line one = new SlotLines.Line();
  private final SlotLines.Line other = new SlotLines.Line();

  @Test
  public void shouldHoldUpTheSameLineAlone() {
    add(one, 3, 1, 4);
    add(other, 5, 9, 2);
    assertEquals(removed(Set.of(1, 4, 5, 9)), List.of(5, 9), "3 and 2 are not over");
    assertEquals(removed(Set.of(3, 1)), List.of(3, 1));
    assertFalse(lines.isEmpty());
    assertEquals(removed(Set.of(2, 4)), List.of(4, 2));
    assertTrue(lines.isEmpty());
  }

  @Test
  public void shouldTakeBackALineThatWasEmpty() {
    for (int round = 0; round < 3; round++) {
      add(one, 7, 8);
      assertEquals(removed(Set.of(7)), List.of(7));
      add(one, 7);
      assertEquals(removed(Set.of(7, 8)), List.of(8, 7));
      assertTrue(lines.isEmpty());
    }
  }

  @Test
  public void shouldAskOfOneLineAlone() {
    add(one, 3, 1);
    add(other, 5);
    assertEquals(lines.removeWhile(other, slot -> true), 1);
    assertEquals(lines.removeWhile(other, slot -> true), 0);
    add(other, 6);
    assertEquals(removed(Set.of(3, 6)), List.of(3, 6), "each once");
    assertEquals(lines.removeWhile(one, slot -> true), 1);
    assertTrue(lines.isEmpty());
    assertEquals(removed(Set.of()), List.of());
  }

  /** One that is over may make room for the next of its line, or begin another. */
  @Test
  public void shouldTakeWhatIsAddedMeanwhile() {
    add(one, 0);
    int removed =
        lines.removeWhile(
            slot -> {
              if (slot == 0) {
                add(one, 1);
                add(other, 2);
              }
              return slot < 2;
            });
    assertEquals(removed, 2);
    assertEquals(removed(Set.of(2)), List.of(2));
    assertTrue(lines.isEmpty());
  }

  private void add(SlotLines.Line line, int... slots) {
    for (int slot : slots) {
      lines.add(line, slot);
    }
  }

  private List<Integer> removed(Set<Integer> over) {
    List<Integer> removed = new ArrayList<>();
    int count =
        lines.removeWhile(
            slot -> {
              boolean isOver = over.contains(slot);
              if (isOver) {
                removed.add(slot);
              }
              return isOver;
            });
    assertEquals(count, removed.size());
    return removed;
  }
}
