// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.testng.annotations.Test;

/** Which rails two sides go on over that have lost different ones. */
public final class LiveRailsTest {
  /** Each sends over both, and hears of another one that nothing comes. */
  @Test
  public void shouldKeepOneRailWhenBothSidesFindThatAnotherOneHasStalled() {
    LiveRails dialler = begun(true);
    LiveRails other = begun(false);
    dialler.stall(1);
    other.stall(0);
    ControlWord said = lastWord(dialler);
    assertTrue(dialler.settle(lastWord(other)) && other.settle(said));
    assertEquals(dialler.bits(), 0b11);
    assertEquals(other.bits(), 0b10);
    assertEquals(dialler.share(other.bits()), 1);
  }

  @Test
  public void shouldBelieveAFailureBeforeAnOpinion() {
    for (boolean dialled : new boolean[] {true, false}) {
      LiveRails failed = begun(dialled);
      LiveRails stalled = begun(!dialled);
      failed.lose(0);
      stalled.stall(1);
      ControlWord said = lastWord(stalled);
      assertTrue(stalled.settle(lastWord(failed)) && failed.settle(said));
      assertEquals(stalled.bits(), 0b11);
      assertEquals(failed.bits(), 0b10);
    }
  }

  @Test
  public void shouldEndOnBothSidesWhenDifferentRailsHaveFailedOrOneSideHasNone() {
    LiveRails first = begun(true);
    LiveRails second = begun(false);
    first.lose(0);
    second.lose(1);
    assertFalse(first.settle(lastWord(second)) || second.settle(lastWord(first)));
    LiveRails stalled = begun(true);
    LiveRails none = begun(false);
    stalled.stall(0);
    none.lose(0);
    none.lose(1);
    ControlWord said = lastWord(stalled);
    assertFalse(stalled.settle(lastWord(none)) || none.settle(said));
  }

  private static LiveRails begun(boolean dialled) {
    LiveRails rails = new LiveRails(2, dialled);
    rails.begin();
    return rails;
  }

  private static ControlWord lastWord(LiveRails rails) {
    ByteBuffer bytes = ByteBuffer.allocate(ControlWord.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    ControlWord.put(bytes, rails.lastWord(), 0, 0, rails.bits(), 0);
    ControlWord word = new ControlWord();
    word.read(bytes.flip());
    return word;
  }
}
