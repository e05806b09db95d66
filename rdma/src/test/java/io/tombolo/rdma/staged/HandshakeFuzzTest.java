// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import com.google.common.primitives.Bytes;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.HonestExchange;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.shm.ShmMedium;
import io.tombolo.rdma.tcp.TcpMedium;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The handshake from outside: strangers who dial, and one who is dialled, say all its words spoiled
 * or in the wrong order. They may even hold the token. Nobody honest is harmed.
 */
public final class HandshakeFuzzTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final SlotGeometry SMALL = new SlotGeometry(3, 192);
  private static final long SEED = Long.getLong("tombolo.seed", 29);
  private static final int STRANGERS = 300;
  private static final int HONEST_EVERY = 50;

  /** Channels that strangers ask for; honest ones have lower numbers. */
  private static final long STRANGE = 1 << 20;

  private final JobToken token = JobToken.random();

  @DataProvider
  Object[][] media() {
    Supplier<Medium> shm = () -> ShmMedium.open(HostPinner.none());
    Supplier<Medium> tcp =
        () ->
            TcpMedium.open(
                HostPinner.none(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return new Object[][] {{"shm", shm}, {"tcp", tcp}};
  }

  @Test(dataProvider = "media")
  public void shouldHarmNobodyWhenDiallersSpoilTheirWords(String name, Supplier<Medium> medium)
      throws IOException {
    System.out.println(name + ": seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    SpoiledWords spoiled = new SpoiledWords(random);
    List<PeerSocket> left = new ArrayList<>();
    try (StagedFabric low = open(medium, 0);
        StagedFabric high = open(medium, 1);
        Medium stranger = medium.get();
        Pair before = new Pair(low, high, 1)) {
      for (int i = 0; i < STRANGERS; i++) {
        PeerSocket socket = stranger.dial(high.address(), Deadline.after(BUDGET));
        drive(() -> isConnected(socket), high);
        talk(name, socket, random, spoiled, STRANGE + i, high);
        if (random.nextBoolean()) {
          socket.close();
        } else {
          left.add(socket);
        }
        if (i % HONEST_EVERY == 0) {
          before.exchange();
          try (Pair meanwhile = new Pair(low, high, 2 + i)) {
            meanwhile.exchange();
          }
        }
      }
      before.exchange();
    } finally {
      left.forEach(Sockets::closeQuietly);
    }
  }

  /** Up to four of the words, any of them, in any order, each spoiled or true. */
  private void talk(
      String fabric,
      PeerSocket socket,
      SplittableRandom random,
      SpoiledWords spoiled,
      long channelId,
      StagedFabric high) {
    byte[] hello = Hello.of(0, 1, channelId, SMALL).encode(JobToken.nonce());
    byte[] heard = new byte[Hello.SIZE_BYTES];
    boolean inOrder = random.nextBoolean();
    for (int word = 0; word < 4; word++) {
      int said = inOrder ? word : random.nextInt(4);
      byte[] words =
          switch (said) {
            case 0 -> hello;
            case 1 -> token.proof("tombolo " + fabric + " dialler", hello, heard);
            case 2 -> new byte[] {Handshake.WELCOME};
            default -> answer(fabric, hello, 0, channelId);
          };
      boolean truly = inOrder && random.nextInt(3) > 0;
      say(socket, truly ? words : spoiled.of(words));
      for (int round = 0; round < 4; round++) {
        high.progress();
      }
      hear(socket, heard);
    }
  }

  private byte[] answer(String fabric, byte[] diallerHello, int rank, long channelId) {
    byte[] own = Hello.of(rank, 1 - rank, channelId, SMALL).encode(JobToken.nonce());
    byte[] proof = token.proof("tombolo " + fabric + " listener", diallerHello, own);
    return Bytes.concat(own, proof);
  }

  /** Only the channel that talks to the stranger may fail of it. */
  @Test(dataProvider = "media")
  public void shouldHarmNoOtherChannelWhenAListenerSpoilsItsWords(
      String name, Supplier<Medium> medium) throws IOException {
    System.out.println(name + ": seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    SpoiledWords spoiled = new SpoiledWords(random);
    try (StagedFabric low = open(medium, 0);
        StagedFabric high = open(medium, 1);
        Medium stranger = medium.get();
        Pair honest = new Pair(low, high, 1)) {
      honest.exchange();
      for (int i = 0; i < STRANGERS; i++) {
        long channelId = STRANGE + i;
        try (Channel deceived =
                low.connect(1, stranger.address(), channelId, Deadline.after(BUDGET));
            PeerSocket socket = accept(stranger, low)) {
          byte[] hello = new byte[Hello.SIZE_BYTES];
          drive(() -> hear(socket, hello) > 0, low);
          say(socket, spoiled.of(answer(name, hello, 1, channelId)));
          low.progress();
          say(socket, spoiled.of(new byte[] {Handshake.WELCOME}));
          for (int round = 0; round < 4; round++) {
            low.progress();
          }
          SpoiledWords.lookAt(deceived);
        }
        if (i % HONEST_EVERY == 0) {
          honest.exchange();
        }
      }
      honest.exchange();
    }
  }

  /** A listener of the former build has no last word: each side names both versions. */
  @Test(dataProvider = "media")
  public void shouldNameBothVersionsWhenTheListenersIsFormer(String name, Supplier<Medium> medium)
      throws IOException {
    try (StagedFabric low = open(medium, 0);
        Medium former = medium.get();
        Channel dialling = low.connect(1, former.address(), 1, Deadline.after(BUDGET));
        PeerSocket socket = accept(former, low)) {
      byte[] hello = new byte[Hello.SIZE_BYTES];
      drive(() -> hear(socket, hello) > 0, low);
      byte[] own = FormerBuild.hello(1, 0, 1, SMALL);
      byte[] proof = token.proof("tombolo " + name + " listener", hello, own);
      say(socket, Bytes.concat(own, proof));
      MismatchException error =
          expectThrows(MismatchException.class, () -> drive(dialling::isOpen, low));
      FormerBuild.assertIsNamed(error, 1, 0);
    }
  }

  @Test(dataProvider = "media")
  public void shouldNameBothVersionsWhenTheDiallersIsFormer(String name, Supplier<Medium> medium)
      throws IOException {
    AtomicLong clock = new AtomicLong();
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return clock.get();
          }
        };
    try (StagedFabric high = open(medium, 1);
        Medium former = medium.get();
        PeerSocket socket = former.dial(high.address(), Deadline.after(BUDGET));
        Channel awaiting =
            high.connect(0, former.address(), 1, Deadline.after(ticker, Duration.ofSeconds(3)))) {
      drive(() -> isConnected(socket), high);
      byte[] own = FormerBuild.hello(0, 1, 1, SMALL);
      say(socket, own);
      byte[] answer = new byte[Hello.SIZE_BYTES];
      drive(() -> hear(socket, answer) > 0, high); // by which the former build can tell as well
      assertEquals(Hello.decode(answer).minVersion(), Hello.VERSION);
      clock.set(Duration.ofSeconds(3).toNanos());
      TomboloException error =
          expectThrows(TomboloException.class, () -> drive(awaiting::isOpen, high));
      FormerBuild.assertIsNamed(error, 0, 1);
    }
  }

  private StagedFabric open(Supplier<Medium> medium, int rank) {
    return new StagedFabric(
        medium.get(),
        new FabricSettings(rank, token, HostPinner.none(), SMALL, Ticker.systemTicker()));
  }

  private static PeerSocket accept(Medium listener, StagedFabric dialler) throws IOException {
    Deadline deadline = Deadline.after(BUDGET);
    while (true) {
      Optional<PeerSocket> socket = listener.accept();
      if (socket.isPresent()) {
        return socket.get();
      }
      dialler.progress();
      assertFalse(deadline.isExpired(), "nobody dials");
    }
  }

  private static boolean isConnected(PeerSocket socket) {
    try {
      return socket.finishConnect();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Says them as far as they are heard: who is shown out says no more. */
  private static void say(PeerSocket socket, byte[] words) {
    try {
      ByteBuffer rest = ByteBuffer.wrap(words);
      while (rest.hasRemaining() && socket.write(rest) > 0) {}
    } catch (IOException e) {
      Sockets.closeQuietly(socket); // it was closed at the other end, as it may be at any word
    }
  }

  private static int hear(PeerSocket socket, byte[] into) {
    try {
      return socket.read(ByteBuffer.wrap(into));
    } catch (IOException e) {
      return -1;
    }
  }

  private static void drive(BooleanSupplier condition, StagedFabric... fabrics) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      for (StagedFabric fabric : fabrics) {
        fabric.progress();
      }
      assertFalse(deadline.isExpired(), "nothing came of it within " + BUDGET);
    }
  }

  /** A channel between the two who are honest. */
  private static final class Pair implements AutoCloseable {
    private final StagedFabric low;
    private final StagedFabric high;
    private final Channel from;
    private final Channel to;

    Pair(StagedFabric low, StagedFabric high, long channelId) {
      this.low = low;
      this.high = high;
      from = low.connect(1, high.address(), channelId, Deadline.after(BUDGET));
      to = high.connect(0, low.address(), channelId, Deadline.after(BUDGET));
    }

    void exchange() {
      HonestExchange.over(from, to, condition -> drive(condition, low, high));
    }

    @Override
    public void close() {
      from.close();
      to.close();
    }
  }
}
