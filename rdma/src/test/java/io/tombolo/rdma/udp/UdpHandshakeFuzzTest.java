// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.HonestExchange;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.FormerBuild;
import io.tombolo.rdma.staged.Hello;
import io.tombolo.rdma.staged.SpoiledWords;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.testng.annotations.Test;

/**
 * The handshake over UDP from outside: all its words, spoiled, played again and in the wrong order,
 * of a stranger who once held the token. Nobody honest is harmed.
 */
public final class UdpHandshakeFuzzTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final SlotGeometry SMALL = new SlotGeometry(3, 192);
  private static final long SEED = Long.getLong("tombolo.seed", 31);
  private static final int PACKETS = 4_000;
  private static final int HONEST_EVERY = 500;
  private static final int LISTENERS = 300;
  private static final long STRANGE = 1 << 20;

  private final AtomicLong clock = new AtomicLong();
  private final JobToken token = JobToken.random();

  @Test
  public void shouldHarmNobodyWhenAllWordsComeSpoiled() throws IOException {
    System.out.println("seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    SpoiledWords spoiled = new SpoiledWords(random);
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        UdpStranger toLow = new UdpStranger(low);
        UdpStranger toHigh = new UdpStranger(high)) {
      List<byte[]> words = recorded(high, toHigh);
      Channel from = low.connect(1, high.address(), 1, deadline());
      Channel to = high.connect(0, low.address(), 1, deadline());
      exchange(from, to, low, high);
      for (int i = 0; i < PACKETS; i++) {
        speak(random, spoiled, words, toLow, toHigh);
        low.progress();
        high.progress();
        if (i % HONEST_EVERY == 0) {
          Channel dialling = low.connect(1, high.address(), 2 + i, deadline());
          for (int more = 0; more < 20; more++) { // while the two get to know each other
            speak(random, spoiled, words, toLow, toHigh);
            low.progress();
          }
          try (Channel awaiting = high.connect(0, low.address(), 2 + i, deadline())) {
            exchange(dialling, awaiting, low, high);
          }
          dialling.close();
          exchange(from, to, low, high);
        }
      }
      exchange(from, to, low, high);
      UdpCounters heard = high.counters();
      assertTrue(heard.strangers > 100 && heard.refused > 100, "few of them were looked at");
    }
  }

  /** Only the channel that talks to the stranger may fail of it. */
  @Test
  public void shouldHarmNoOtherChannelWhenAListenerSpoilsItsWords() throws IOException {
    System.out.println("seed " + SEED);
    SpoiledWords spoiled = new SpoiledWords(new SplittableRandom(SEED));
    GreetingProofs proofs = new GreetingProofs(token);
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        UdpStranger stranger = new UdpStranger(low)) {
      Channel from = low.connect(1, high.address(), 1, deadline());
      Channel to = high.connect(0, low.address(), 1, deadline());
      for (int i = 0; i < LISTENERS; i++) {
        long channelId = STRANGE + i;
        try (Channel deceived = low.connect(1, stranger.address(), channelId, deadline())) {
          Greeting hello = hearHello(stranger, low, channelId);
          byte[] own = Hello.of(1, 0, channelId, SMALL).encode(JobToken.nonce());
          byte[] proof = proofs.proof("listener", hello.hello(), own);
          Greeting answer = Greeting.answer(own, proof, hello, 0);
          stranger.say(ByteBuffer.wrap(spoiled.of(answer.toPacket().array())));
          low.progress();
          SpoiledWords.lookAt(deceived);
          byte[] welcome = proofs.proof("welcome", hello.hello(), own);
          byte[] last = Greeting.of(Greeting.WELCOME, own, welcome).toPacket().array();
          stranger.say(ByteBuffer.wrap(spoiled.of(last)));
          low.progress();
          SpoiledWords.lookAt(deceived);
        }
      }
      exchange(from, to, low, high);
    }
  }

  /** What those that were deceived before still say is not for this one. */
  private static Greeting hearHello(UdpStranger stranger, UdpFabric low, long channelId)
      throws IOException {
    Deadline deadline = deadline();
    while (true) {
      assertFalse(deadline.isExpired(), "no hello within " + BUDGET);
      Optional<Greeting> heard = stranger.heard(low);
      if (heard.isPresent()
          && heard.get().type() == Greeting.HELLO
          && Hello.decode(heard.get().hello()).channelId() == channelId) {
        return heard.get();
      }
    }
  }

  private static void speak(
      SplittableRandom random,
      SpoiledWords spoiled,
      List<byte[]> words,
      UdpStranger toLow,
      UdpStranger toHigh)
      throws IOException {
    byte[] said = spoiled.of(words.get(random.nextInt(words.size())));
    (random.nextBoolean() ? toLow : toHigh).say(ByteBuffer.wrap(said));
  }

  /** All words of a handshake that went well. */
  private List<byte[]> recorded(UdpFabric high, UdpStranger dialler) throws IOException {
    GreetingProofs proofs = new GreetingProofs(token);
    byte[] hello = Hello.of(0, 1, STRANGE, SMALL).encode(JobToken.nonce());
    byte[] first = Greeting.hello(hello, 0).toPacket().array();
    dialler.say(ByteBuffer.wrap(first));
    Greeting answer = dialler.hear(high);
    byte[] proved = proofs.proof("dialler", hello, answer.hello());
    byte[] proof = Greeting.of(Greeting.PROOF, hello, proved).toPacket().array();
    dialler.say(ByteBuffer.wrap(proof));
    Greeting welcome = dialler.hear(high);
    assertEquals(welcome.type(), Greeting.WELCOME);
    return List.of(first, answer.toPacket().array(), proof, welcome.toPacket().array());
  }

  @Test
  public void shouldNameBothVersionsWhenTheDiallersIsFormer() throws IOException {
    try (UdpFabric high = open(1);
        UdpStranger former = new UdpStranger(high)) {
      Deadline soon = Deadline.after(ticker(), Duration.ofSeconds(3));
      Channel awaiting = high.connect(0, former.address(), 1, soon);
      byte[] hello = FormerBuild.hello(0, 1, 1, SMALL);
      former.say(Greeting.hello(hello, 0).toPacket());
      Greeting answer = former.hear(high); // by which the former build can tell as well
      assertEquals(Hello.decode(answer.hello()).minVersion(), 2);
      clock.addAndGet(Duration.ofSeconds(4).toNanos());
      TomboloException error =
          expectThrows(TomboloException.class, () -> drive(awaiting::isOpen, high));
      FormerBuild.assertIsNamed(error, 0, 1);
    }
  }

  @Test
  public void shouldNameBothVersionsWhenTheListenersIsFormer() throws IOException {
    try (UdpFabric low = open(0);
        UdpStranger former = new UdpStranger(low)) {
      Channel dialling = low.connect(1, former.address(), 1, deadline());
      Greeting hello = former.hear(low);
      byte[] own = FormerBuild.hello(1, 0, 1, SMALL);
      byte[] proof = new GreetingProofs(token).proof("listener", hello.hello(), own);
      former.say(Greeting.answer(own, proof, hello, 0).toPacket());
      MismatchException error =
          expectThrows(MismatchException.class, () -> drive(dialling::isOpen, low));
      FormerBuild.assertIsNamed(error, 1, 0);
    }
  }

  private UdpFabric open(int rank) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return UdpFabric.open(
        new FabricSettings(rank, token, HostPinner.none(), SMALL, ticker()), UdpOptions.of(bind));
  }

  private Ticker ticker() {
    return new Ticker() {
      @Override
      public long read() {
        return clock.addAndGet(1_000);
      }
    };
  }

  private static Deadline deadline() {
    return Deadline.after(BUDGET);
  }

  private static void exchange(Channel from, Channel to, UdpFabric low, UdpFabric high) {
    HonestExchange.over(from, to, condition -> drive(condition, low, high));
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
