// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** A channel that asks whether packets get through before it is used. */
public class GreetingTest {
  private static final ChannelId ID = new ChannelId(1, 0, 7);
  private static final long HALF_NS = 500_000_000;
  private static final long SECOND_NS = 2 * HALF_NS;

  private final Count count = new Count();
  private int pings;
  private ReliableChannel channel;

  @BeforeMethod
  public void make() {
    pings = 0;
    Sink wire =
        new Sink() {
          @Override
          public boolean sendControl(ByteBuffer packet) {
            pings += PacketTamper.type(packet) == PacketCodec.PING ? 1 : 0;
            return true;
          }
        };
    channel = new ReliableChannel(ID, ProtocolConfig.of(Shape.DATAGRAM, 1024), wire, null, 0);
  }

  @Test
  public void shouldAskUntilItIsAnswered() {
    channel.greet(0);
    assertTrue(channel.nextWakeNs() <= 0, "it waits");
    long nowNs = 0;
    for (; nowNs < HALF_NS; nowNs = channel.nextWakeNs()) {
      channel.poll(nowNs, count);
    }
    assertTrue(pings >= 5 && pings <= 10, pings + " PINGs");

    int before = pings;
    AckScheduler acks = new AckScheduler(4, 100, 0);
    ReceiveWindow window = new ReceiveWindow(64, 0);
    hear(PacketCodec.ack(PacketCodec.newBuffer(128), ID, window, acks, 0), nowNs);
    assertTrue(channel.isAnswered());
    channel.poll(nowNs, count);
    channel.poll(nowNs + HALF_NS, count);
    assertEquals(pings, before);
  }

  /** What the peer says by itself tells nothing of what it hears. */
  @Test
  public void shouldNotTakeTheQuestionOfItsPeerForAnAnswer() {
    channel.greet(0);
    hear(PacketCodec.bare(PacketCodec.newBuffer(64), ID, PacketCodec.PING), 0);
    assertFalse(channel.isAnswered());
  }

  /** Who leaves says once more what it has received, whatever it has heard. */
  @Test
  public void shouldNotTakeTheLastWordsOfItsPeerForAnAnswer() {
    channel.greet(0);
    hear(PacketCodec.bare(PacketCodec.newBuffer(64), ID, PacketCodec.CLOSE), 0);
    AckScheduler acks = new AckScheduler(4, 100, 0);
    ReceiveWindow window = new ReceiveWindow(64, 0);
    hear(PacketCodec.ack(PacketCodec.newBuffer(128), ID, window, acks, 0), 0);
    assertFalse(channel.isAnswered());
  }

  @Test
  public void shouldGiveUpOnlyWhomItHasAskedForLongEnough() {
    long longNs = 10 * SECOND_NS;
    channel.greet(longNs - 1);
    channel.poll(longNs + SECOND_NS, count);
    channel.poll(2 * longNs - 2, count);
    expectThrows(PeerFailedException.class, () -> channel.poll(2 * longNs - 1, count));
  }

  @Test
  public void shouldAskNothingAtFirstWhereNobodyWantsToKnow() {
    channel.poll(0, count);
    channel.poll(HALF_NS, count);
    assertEquals(pings, 0);
  }

  private void hear(ByteBuffer packet, long nowNs) {
    channel.onPacket(packet, 0, nowNs);
  }
}
