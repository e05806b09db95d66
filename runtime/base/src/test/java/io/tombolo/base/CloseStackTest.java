// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

public final class CloseStackTest {
  private final List<String> closed = new ArrayList<>();

  @Test
  public void shouldCloseInReverseOrderAndGoOnWhenOneCannotBeClosed() {
    closed.clear();
    try (CloseStack stack = new CloseStack()) {
      stack.opened(() -> closed.add("first"));
      stack.opened(
          () -> {
            throw new IllegalStateException("will not close");
          });
      stack.opened(() -> closed.add("last"));
    }
    assertEquals(closed, List.of("last", "first"));
  }

  @Test
  public void shouldCloseWhatIsOpenWhenALaterOneCannotBeOpened() {
    closed.clear();
    assertThrows(IllegalArgumentException.class, () -> open(0));
    assertEquals(closed, List.of("first"));
  }

  @Test
  public void shouldCloseNothingThatIsKept() {
    closed.clear();
    open(1).close();
    assertEquals(closed, List.of());
  }

  /** Opens two things, the second with {@code sizeBytes}. */
  private NativeMemory open(long sizeBytes) {
    try (CloseStack stack = new CloseStack()) {
      stack.opened(() -> closed.add("first"));
      NativeMemory second = stack.opened(NativeMemory.allocate(sizeBytes));
      stack.keep();
      return second;
    }
  }
}
