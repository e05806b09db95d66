// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.expectThrows;

import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

public final class DoAllTest {
  @Test
  public void shouldDoAllAndThrowWhatFailedFirst() {
    List<Integer> done = new ArrayList<>();
    IllegalStateException thrown =
        expectThrows(
            IllegalStateException.class,
            () ->
                DoAll.each(
                    List.of(1, 2, 3, 4),
                    number -> {
                      done.add(number);
                      if (number % 2 == 0) {
                        throw new IllegalStateException("not " + number);
                      }
                    }));
    assertEquals(done, List.of(1, 2, 3, 4));
    assertEquals(thrown.getMessage(), "not 2");
    assertEquals(thrown.getSuppressed()[0].getMessage(), "not 4");
  }

  @Test
  public void shouldThrowAnErrorThatComesTwice() {
    IllegalStateException error = new IllegalStateException("the same");
    Runnable failing =
        () -> {
          throw error;
        };
    assertSame(expectThrows(RuntimeException.class, () -> DoAll.of(failing, failing)), error);
  }
}
