// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.sun.management.ThreadMXBean;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.staged.CarrierChoice.Word;
import io.tombolo.rdma.staged.TrialSocket.Said;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class TrialSocketTest {
  private static final byte[] CARD = "a card of some bytes".getBytes(UTF_8);
  private static final int ROUNDS = 2000;

  /** Few enough that no compiler does away with what is allocated. */
  private static final int LOOKS = 200;

  private static final int GARBAGE_ROUNDS = 5;

  @DataProvider
  public Object[][] trickles() {
    return new Object[][] {{1}, {2}, {7}, {10_000}};
  }

  @Test
  public void shouldSpeakTheseBytes() {
    ScriptedSocket wire = new ScriptedSocket(new byte[0]);
    TrialSocket socket = new TrialSocket(wire);
    socket.write(ByteBuffer.wrap(new byte[] {7, 8}));
    socket.say(Word.PROMISE, "");
    socket.say(Word.LEAVE, "no");
    byte[] expected = {'C', 2, 0, 7, 8, 'P', 0, 0, 'L', 2, 0, 'n', 'o'};
    assertEquals(wire.written(), expected);
  }

  /** What follows the word to leave belongs to whoever goes on with the connection. */
  @Test(dataProvider = "trickles")
  public void shouldCarryBytesAndWordsInOrderAndLeaveTheRestAlone(int most) throws IOException {
    TricklingSocket[] ends = TricklingSocket.pair(most);
    TrialSocket here = new TrialSocket(ends[0]);
    TrialSocket there = new TrialSocket(ends[1]);
    ByteBuffer sent = ByteBuffer.wrap(CARD);
    ByteBuffer got = ByteBuffer.allocate(CARD.length);
    for (int round = 0; round < ROUNDS && got.hasRemaining(); round++) {
      here.write(sent);
      here.flush();
      there.read(got);
    }
    assertEquals(got.array(), CARD);
    here.say(Word.LEAVE, "nothing comes through");
    for (int round = 0; round < ROUNDS && !here.isFlushed(); round++) {
      here.flush();
    }
    ends[0].write(ByteBuffer.wrap(new byte[] {42}));
    Optional<Said> said = Optional.empty();
    for (int round = 0; round < ROUNDS && said.isEmpty(); round++) {
      there.hear();
      said = there.take();
    }
    assertEquals(said, Optional.of(new Said(Word.LEAVE, "nothing comes through")));
    assertEquals(there.hear(), 0);
    assertEquals(ends[1].unread(), new byte[] {42});
  }

  @Test
  public void shouldHearNothingBeforeAWordIsTaken() {
    TricklingSocket[] ends = TricklingSocket.pair(10_000);
    TrialSocket here = new TrialSocket(ends[0]);
    TrialSocket there = new TrialSocket(ends[1]);
    here.say(Word.PROMISE, "");
    here.say(Word.LEAVE, "");
    there.hear();
    assertEquals(there.take().map(Said::word), Optional.of(Word.PROMISE));
    assertEquals(there.take(), Optional.empty());
    there.hear();
    assertEquals(there.take().map(Said::word), Optional.of(Word.LEAVE));
  }

  /** Nobody reads on where the way on trial was given up, and the peer has not heard that yet. */
  @Test
  public void shouldHearAWordBehindWhatNobodyReadsAnyMore() {
    TricklingSocket[] ends = TricklingSocket.pair(10_000);
    TrialSocket here = new TrialSocket(ends[0]);
    TrialSocket there = new TrialSocket(ends[1]);
    here.write(ByteBuffer.wrap(CARD));
    there.hear();
    here.write(ByteBuffer.wrap(CARD));
    here.say(Word.OPEN, "");
    assertEquals(there.hear(), 0);
    there.ignore();
    assertEquals(there.hear(), 2);
    assertEquals(there.take().map(Said::word), Optional.of(Word.OPEN));
  }

  @Test
  public void shouldCutAReasonThatIsTooLong() {
    TricklingSocket[] ends = TricklingSocket.pair(10_000);
    TrialSocket there = new TrialSocket(ends[1]);
    new TrialSocket(ends[0]).say(Word.LEAVE, "x".repeat(5000));
    there.hear();
    assertEquals(there.take().orElseThrow().why(), "x".repeat(TrialSocket.MOST_BYTES));
  }

  @Test
  public void shouldRefuseWhatIsNoFrame() {
    for (byte[] words : new byte[][] {{'C', 1, 4}, {'X', 0, 0}}) {
      TrialSocket socket = new TrialSocket(new ScriptedSocket(words));
      assertThrows(CorruptException.class, socket::hear);
    }
  }

  @Test
  public void shouldRefuseWordsOnceTheWayIsTaken() {
    TrialSocket socket = new TrialSocket(new ScriptedSocket(new byte[] {'L', 0, 0}));
    socket.agree();
    assertThrows(CorruptException.class, socket::hear);
  }

  /** A channel that is open looks for its peer's end, as long as it rests. */
  @Test
  public void shouldMakeNoGarbageWhileNothingComes() throws IOException {
    TrialSocket socket = new TrialSocket(TricklingSocket.pair(10_000)[0]);
    socket.agree();
    ByteBuffer target = ByteBuffer.allocate(1);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < GARBAGE_ROUNDS; round++) {
      long before = threads.getThreadAllocatedBytes(self);
      for (int look = 0; look < LOOKS; look++) {
        assertTrue(socket.read(target) == 0);
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(self) - before);
    }
    assertEquals(least / LOOKS, 0, least + " bytes in " + LOOKS + " looks");
  }

  @Test
  public void shouldShowThePeersEndAndStayOpenWhenItIsKept() throws IOException {
    TricklingSocket[] ends = TricklingSocket.pair(10_000);
    TrialSocket socket = new TrialSocket(ends[0]);
    ends[1].close();
    assertEquals(socket.read(ByteBuffer.allocate(1)), -1);
    assertTrue(socket.isGone());
    socket.keep();
    socket.close();
    assertTrue(ends[0].isOpen());
    TrialSocket other = new TrialSocket(ends[0]);
    other.close();
    assertFalse(ends[0].isOpen());
  }
}
