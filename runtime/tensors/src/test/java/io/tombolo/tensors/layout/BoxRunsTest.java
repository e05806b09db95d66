// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class BoxRunsTest {
  @DataProvider
  public Object[][] copies() {
    Box whole = Box.whole(3, 4, 5);
    Box rows = whole.cut(0, 1, 3);
    return new Object[][] {
      {whole, whole, whole, 1},
      {whole, rows, rows, 1},
      {whole, rows, rows.cut(1, 1, 3), 2},
      {whole, whole.cut(1, 1, 3), whole.cut(1, 1, 3), 3},
      {whole.cut(1, 1, 4), rows, rows.cut(1, 1, 4), 2},
      {whole.cut(2, 0, 3), whole.cut(2, 2, 5), whole.cut(2, 2, 3), 12},
      {whole, whole, whole.cut(1, 2, 2), 0},
      {Box.whole(), Box.whole(), Box.whole(), 1},
    };
  }

  @Test(dataProvider = "copies")
  public void shouldBringEachElementToItsPlaceInTheFewestRuns(
      Box source, Box destination, Box part, int runs) {
    long[] memory = new long[(int) destination.elements()];
    long[] count = new long[1];
    BoxRuns.of(source, destination, part)
        .forEach(
            (from, to, elements) -> {
              count[0]++;
              for (long i = 0; i < elements; i++) {
                memory[(int) (to + i)] += 1 + from + i;
              }
            });
    assertEquals(count[0], runs);
    for (int at = 0; at < memory.length; at++) {
      Box element = element(destination, at);
      long expected = part.contains(element) ? 1 + offset(source, element) : 0;
      assertEquals(memory[at], expected, "at " + element);
    }
  }

  private static Box element(Box box, int offset) {
    long[] from = new long[box.dimensions()];
    long[] to = new long[box.dimensions()];
    long rest = offset;
    for (int dim = box.dimensions() - 1; dim >= 0; dim--) {
      from[dim] = box.from(dim) + rest % box.length(dim);
      to[dim] = from[dim] + 1;
      rest /= box.length(dim);
    }
    return Box.between(from, to);
  }

  private static long offset(Box box, Box element) {
    long offset = 0;
    for (int dim = 0; dim < box.dimensions(); dim++) {
      offset = offset * box.length(dim) + element.from(dim) - box.from(dim);
    }
    return offset;
  }
}
