// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

public class BoxTest {
  private static final int SIDE = 4;

  @Test
  public void shouldPartABoxIntoWhatItSharesWithAnotherAndTheRest() {
    List<Box> all = allBoxes();
    for (Box one : all) {
      for (Box other : all) {
        List<Box> parts = new ArrayList<>(one.minus(other));
        if (one.overlap(other) > 0) {
          parts.add(one.intersect(other));
          assertTrue(other.contains(one.intersect(other)));
        }
        for (int row = 0; row < SIDE; row++) {
          for (int column = 0; column < SIDE; column++) {
            Box element = element(row, column);
            long times = parts.stream().filter(part -> part.overlap(element) == 1).count();
            assertEquals(times, one.overlap(element), one + " minus " + other + " at " + element);
          }
        }
      }
    }
  }

  @Test
  public void shouldLeaveWhatIsInNoneOfSeveral() {
    List<Box> halves = List.of(Box.whole(SIDE, 1), Box.whole(1, SIDE), Box.whole(0, SIDE));
    List<Box> rest = Box.whole(SIDE, SIDE).minusAll(halves);
    assertEquals(rest.stream().mapToLong(Box::elements).sum(), (SIDE - 1) * (SIDE - 1));
    assertEquals(Box.whole(SIDE, SIDE).minusAll(List.of(Box.whole(SIDE, SIDE))), List.of());
    assertEquals(Box.whole(0, SIDE).minusAll(halves), List.of());
    assertEquals(Box.whole().minusAll(List.of()), List.of(Box.whole()));
  }

  @Test
  public void shouldCountTheElementsOfAScalarAndOfNothing() {
    assertEquals(Box.whole().elements(), 1);
    assertEquals(Box.whole().intersect(Box.whole()), Box.whole());
    assertEquals(Box.whole(4, 0).elements(), 0);
    assertTrue(Box.whole(4, 4).contains(Box.whole(4, 0)));
  }

  @Test
  public void shouldRefuseBoxesThatCannotBe() {
    expectThrows(IllegalArgumentException.class, () -> Box.whole(-1));
    expectThrows(IllegalArgumentException.class, () -> Box.between(new long[] {2}, new long[] {1}));
    expectThrows(ArithmeticException.class, () -> Box.whole(1L << 32, 1L << 32));
    expectThrows(IllegalArgumentException.class, () -> element(0, 0).intersect(element(1, 1)));
  }

  private static Box element(int row, int column) {
    return Box.between(new long[] {row, column}, new long[] {row + 1, column + 1});
  }

  private static List<Box> allBoxes() {
    List<Box> boxes = new ArrayList<>();
    for (int top = 0; top < SIDE; top++) {
      for (int bottom = top + 1; bottom <= SIDE; bottom++) {
        for (int left = 0; left < SIDE; left++) {
          for (int right = left + 1; right <= SIDE; right++) {
            boxes.add(Box.between(new long[] {top, left}, new long[] {bottom, right}));
          }
        }
      }
    }
    return boxes;
  }
}
