// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.staged.PeerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * Datagrams of a stranger's to the queue pair of a live {@code ud} port, whose number it has
 * guessed or seen: they harm nobody. All that the honest ranks say passes by the stranger, who
 * hands it on; what it adds is its own.
 */
public final class UdStrangersTest {
  private static final long SEED = Long.getLong("tombolo.seed", 47);
  private static final int SIZE = 20_000;
  private static final int MTU = 4096;
  private static final int MANY = 3000;

  /** Packets under the wrong key: those of a message, and some repeats. */
  private static final int IGNORED = 8;

  /** Where a packet says which connection it is of. */
  private static final int CONNECTION_AT = 8;

  private final Random random = new Random(SEED);
  private LossySide low;
  private LossySide high;
  private UdEavesdropper stranger;

  @BeforeMethod
  public void open() {
    System.out.println("seed " + SEED);
    low = new LossySide(PairType.UD, 0);
    high = new LossySide(PairType.UD, 1);
    stranger = new UdEavesdropper(LossyLink.DATAGRAM_KEY);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    stranger.close();
    low.close();
    high.close();
  }

  /**
   * What is said to the peer reaches only the stranger, who hands it on under another key, until it
   * has heard repeats: nothing counts before it shows the right one.
   */
  @Test(timeOut = 120_000)
  public void shouldHearNothingOfWhatShowsAnotherKey() {
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      LossySide.Ends ends = join();
      assertTrue(ends.there().receive(0, target, 0, SIZE));
      assertTrue(ends.here().send(0, source, 0, SIZE));
      int said = stranger.heard().size();
      LossySide.until(
          () -> {
            stranger.listen().forEach(packet -> say(packet, LossyLink.DATAGRAM_KEY ^ 1));
            boolean hasHeardAll = stranger.heard().size() >= said + IGNORED;
            return hasHeardAll || ends.receiver().receivedBytes() > 0;
          },
          low,
          high);
      assertEquals(ends.receiver().receivedBytes(), 0, "bytes under the wrong key");
      until(() -> ends.there().receives().outstanding() == 0);
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
  }

  /** Any bytes of any length, and true packets of a connection that there is none of. */
  @Test(timeOut = 120_000)
  public void shouldCarryMessagesAmongGarbageThatShowsTheKey() {
    try (TestMemory source = new TestMemory(SIZE, 0, 0);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      LossySide.Ends ends = join();
      for (int said = 0; said < MANY; said++) {
        say(said % 2 == 0 ? garbage() : misdirected(), LossyLink.DATAGRAM_KEY);
        if (said % (MANY / 10) == 0) {
          carry(ends, source, target);
        }
      }
      for (int size : new int[] {0, 1, MTU}) {
        say(new byte[size], LossyLink.DATAGRAM_KEY);
      }
      carry(ends, source, target);
      assertEquals(high.port.failure(), "");
      assertEquals(ends.receiver().protocolCounters().orElseThrow().refused, 0);
    }
  }

  /** Of a message that was taken; while others are under way; and of a channel that has ended. */
  @Test(timeOut = 120_000)
  public void shouldTakeNothingTwiceThatIsPlayedAgain() {
    try (TestMemory source = new TestMemory(SIZE, 0, 0);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        TestMemory other = new TestMemory(SIZE, 0, 0)) {
      LossySide.Ends ends = join();
      carry(ends, source, target);
      byte[] zeros = new byte[SIZE];
      target.clear();
      playAgain();
      until(() -> duplicates(ends) > 0);
      assertEquals(target.get(0, SIZE), zeros, "what was taken before");

      assertTrue(ends.there().receive(1, other, 0, SIZE));
      playAgain();
      assertEquals(ends.there().receives().outstanding(), 1, "it has what nobody has sent");
      source.fill(random.nextLong());
      assertTrue(ends.here().send(1, source, 0, SIZE));
      long duplicates = duplicates(ends);
      LossySide.until(
          () -> {
            stranger.listen().forEach(this::sayTwice);
            return ends.there().receives().outstanding() == 0;
          },
          low,
          high);
      assertTrue(duplicates(ends) > duplicates, "nothing was played again in time");
      playAgain();
      assertEquals(other.get(0, SIZE), source.get(0, SIZE));
      assertEquals(target.get(0, SIZE), zeros, "what was taken before");

      low.end();
      high.end();
      LossySide.Ends anew = join();
      assertTrue(anew.there().receive(0, target, 0, SIZE));
      playAgain();
      assertEquals(anew.there().receives().outstanding(), 1, "it has what nobody has sent");
      source.fill(random.nextLong());
      assertTrue(anew.here().send(0, source, 0, SIZE));
      until(() -> anew.there().receives().outstanding() == 0);
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
  }

  private static long duplicates(LossySide.Ends ends) {
    return ends.receiver().protocolCounters().orElseThrow().duplicates;
  }

  private void sayTwice(byte[] packet) {
    say(packet, LossyLink.DATAGRAM_KEY);
    say(packet, LossyLink.DATAGRAM_KEY);
  }

  /** All that was ever heard, in any order; the honest ranks go on meanwhile. */
  private void playAgain() {
    List<byte[]> packets = new ArrayList<>(stranger.heard());
    Collections.shuffle(packets, random);
    for (byte[] packet : packets) {
      say(packet, LossyLink.DATAGRAM_KEY);
      handOn();
      low.progress();
      high.progress();
    }
  }

  private byte[] garbage() {
    byte[] bytes = new byte[random.nextInt(MTU + 1)];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] misdirected() {
    byte[] packet = stranger.heard().get(random.nextInt(stranger.heard().size())).clone();
    packet[CONNECTION_AT + random.nextInt(Integer.BYTES)] ^= (byte) (1 + random.nextInt(255));
    return packet;
  }

  private void carry(LossySide.Ends ends, TestMemory source, TestMemory target) {
    source.fill(random.nextLong());
    assertTrue(ends.there().receive(0, target, 0, SIZE));
    assertTrue(ends.here().send(0, source, 0, SIZE));
    until(() -> ends.here().sends().outstanding() + ends.there().receives().outstanding() == 0);
    assertEquals(target.get(0, SIZE), source.get(0, SIZE));
  }

  /** A channel whose packets from low to high pass by the stranger. */
  private LossySide.Ends join() {
    PeerSocket[] sockets = CardStream.pair(true);
    LossySide.Ends ends = low.join(high, new PeerSocket[] {stranger.lying(sockets[0]), sockets[1]});
    until(() -> ends.sender().isReady() && ends.receiver().isReady());
    return ends;
  }

  private void until(BooleanSupplier condition) {
    LossySide.until(
        () -> {
          handOn();
          return condition.getAsBoolean();
        },
        low,
        high);
  }

  private void handOn() {
    stranger.listen().forEach(packet -> say(packet, LossyLink.DATAGRAM_KEY));
  }

  private void say(byte[] packet, int key) {
    stranger.say(packet, high, key);
  }
}
