// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.reliable.ReliableChannel;
import io.tombolo.rdma.staged.Hello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.testng.annotations.Test;

/** Datagrams of those who are not of this job, who listen in, or who play old words again. */
public final class UdpStrangersTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final SlotGeometry SMALL = new SlotGeometry(3, 192);
  private static final byte RESET = 8;

  /** Where a hello says how many slots there are. */
  private static final int SLOTS_AT = 24;

  private final AtomicLong clock = new AtomicLong();
  private final JobToken token = JobToken.random();

  @Test
  public void shouldServeThePeerWhenStrangersTalkNonsense() throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        UdpStranger stranger = new UdpStranger(high)) {
      for (int i = 0; i < 2000; i++) {
        byte[] words = new byte[random.nextInt(300)];
        random.nextBytes(words);
        String start = random.nextBoolean() ? "TBLH" : "TOMB";
        ByteBuffer packet = ByteBuffer.wrap(words);
        if (words.length > 64) {
          packet.put(start.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
          packet.put(64, (byte) random.nextInt(6));
        }
        stranger.say(packet.clear());
        high.progress();
      }
      UdpCounters counters = high.counters();
      drive(() -> counters.strangers + counters.refused >= 2000, high);
      assertTrue(counters.strangers > 100 && counters.refused > 100, "none were looked at");
      exchange(low, high, 1);
    }
  }

  @Test
  public void shouldAnswerAHelloWithNoMoreThanItWasAndRememberNothing() throws IOException {
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        UdpStranger stranger = new UdpStranger(high)) {
      for (int i = 0; i < 1000; i++) {
        byte[] hello = Hello.of(0, 1, i, SMALL).encode(JobToken.nonce());
        stranger.say(Greeting.hello(hello, 0).toPacket());
        Greeting answer = stranger.hear(high);
        assertEquals(answer.type(), Greeting.ANSWER);
        assertEquals(answer.sizeBytes(), Greeting.SIZE_BYTES);
      }
      exchange(low, high, 7); // nobody who only said hello is in the way
    }
  }

  @Test
  public void shouldDropWhatKnowsTheConnectionAndComesFromElsewhere() throws IOException {
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        UdpStranger stranger = new UdpStranger(high)) {
      UdpChannel fromLow = low.connect(1, high.address(), 1, deadline());
      UdpChannel fromHigh = high.connect(0, low.address(), 1, deadline());
      drive(() -> fromLow.isOpen() && fromHigh.isOpen(), low, high);
      long before = high.counters().strangers;
      ByteBuffer reset = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
      reset.put("TOMB".getBytes(java.nio.charset.StandardCharsets.US_ASCII)).put((byte) 1);
      reset.put(RESET).putShort((short) 0).putInt(fromHigh.connection().orElseThrow().id());
      reset.putInt(4).putInt(1).flip();
      assertTrue(ReliableChannel.isAddressed(reset));
      stranger.say(reset);
      drive(() -> high.counters().strangers == before + 1, high);
      assertTrue(fromHigh.isOpen());
      exchange(fromLow, fromHigh, low, high);
    }
  }

  @Test
  public void shouldGoOnWhenAForgedAnswerClaimsImpossibleSlots() throws IOException {
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        UdpStranger stranger = new UdpStranger(low);
        Channel dialling = low.connect(1, stranger.address(), 5, deadline())) {
      byte[] own = Hello.of(1, 0, 5, SMALL).encode(JobToken.nonce());
      ByteBuffer.wrap(own).putInt(SLOTS_AT, -1);
      Greeting hello = stranger.hear(low);
      stranger.say(Greeting.answer(own, new byte[JobToken.SIZE_BYTES], hello, 0).toPacket());
      drive(() -> low.counters().refused == 1, low);
      assertFalse(dialling.isOpen()); // nor has it failed: the peer may still answer
      exchange(low, high, 1);
    }
  }

  @Test
  public void shouldOpenNothingWhenAProofIsPlayedAgain() throws IOException {
    try (UdpFabric high = open(1);
        UdpStranger dialler = new UdpStranger(high)) {
      GreetingProofs proofs = new GreetingProofs(token);
      byte[] hello = Hello.of(0, 1, 3, SMALL).encode(JobToken.nonce());
      dialler.say(Greeting.hello(hello, 0).toPacket());
      Greeting answer = dialler.hear(high);
      ByteBuffer proof =
          Greeting.of(Greeting.PROOF, hello, proofs.proof("dialler", hello, answer.hello()))
              .toPacket();
      dialler.say(proof.duplicate());
      assertEquals(dialler.hear(high).type(), Greeting.WELCOME);
      dialler.say(proof.duplicate()); // as a dialler does that has not heard the welcome
      assertEquals(dialler.hear(high).type(), Greeting.WELCOME);
      try (Channel channel = high.connect(0, dialler.address(), 3, deadline())) {
        drive(channel::isOpen, high);
      }
      clock.addAndGet(Duration.ofSeconds(5).toNanos()); // it is over, and forgotten
      high.progress();
      long before = high.counters().refused;
      dialler.say(proof.duplicate());
      drive(() -> high.counters().refused == before + 1, high);
      try (Channel again = high.connect(0, dialler.address(), 3, deadline())) {
        high.progress();
        assertFalse(again.isOpen());
      }
    }
  }

  private UdpFabric open(int rank) {
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return clock.addAndGet(1_000);
          }
        };
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return UdpFabric.open(
        new FabricSettings(rank, token, HostPinner.none(), SMALL, ticker), UdpOptions.of(bind));
  }

  private static Deadline deadline() {
    return Deadline.after(BUDGET);
  }

  private static void exchange(UdpFabric low, UdpFabric high, long channelId) {
    exchange(
        low.connect(1, high.address(), channelId, deadline()),
        high.connect(0, low.address(), channelId, deadline()),
        low,
        high);
  }

  private static void exchange(Channel fromLow, Channel fromHigh, UdpFabric low, UdpFabric high) {
    try (TestMemory memory = new TestMemory(1000, 0, 0)) {
      assertTrue(fromLow.send(1, memory, 0, 1000));
      assertTrue(fromHigh.receive(1, memory, 0, 1000));
      drive(() -> fromHigh.receivedBytes() == 1000, low, high);
    }
  }

  private static void drive(BooleanSupplier condition, UdpFabric... fabrics) {
    Deadline deadline = deadline();
    while (!condition.getAsBoolean()) {
      for (UdpFabric fabric : fabrics) {
        fabric.progress();
      }
      assertFalse(deadline.isExpired(), "nothing came of it within " + BUDGET);
    }
  }
}
