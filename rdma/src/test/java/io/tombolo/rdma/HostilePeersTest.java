// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.PeerSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Peers that do not come, that are not of this job, or that only want to be in the way. */
public final class HostilePeersTest {
  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(Kind.ANYWHERE);
  }

  @DataProvider
  public Object[][] connected() {
    return Kind.rows(Kind.CONNECTED);
  }

  @Test(dataProvider = "kinds")
  public void shouldNameThePeerWhenItNeverDials(Kind kind) {
    AtomicLong clock = new AtomicLong();
    JobToken token = JobToken.random();
    try (Fabric low = kind.open(0, token, FabricPair.small());
        Fabric high = kind.open(settings(1, token, clock))) {
      Deadline deadline = Deadline.after(ticker(clock), Duration.ofSeconds(3));
      Channel channel = high.connect(0, low.address(), 1, deadline);
      high.progress();
      channel.poll(new Log());
      clock.set(Duration.ofSeconds(3).toNanos());
      high.progress();
      DeadlineExceededException error =
          expectThrows(DeadlineExceededException.class, () -> channel.poll(new Log()));
      assertTrue(
          error.getMessage().contains("rank 1 to rank 0") && error.getMessage().contains("3000 ms"),
          error.getMessage());
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldNameThePeerWhenItDoesNotAnswer(Kind kind) {
    AtomicLong clock = new AtomicLong();
    JobToken token = JobToken.random();
    try (Fabric low = kind.open(settings(0, token, clock));
        Fabric high = kind.open(1, token, FabricPair.small())) {
      Deadline deadline = Deadline.after(ticker(clock), Duration.ofSeconds(3));
      Channel channel = low.connect(1, high.address(), 1, deadline);
      for (int i = 0; i < 100; i++) {
        low.progress(); // the kernel connects them; nobody drives the other side
      }
      clock.set(Duration.ofSeconds(4).toNanos());
      low.progress();
      expectThrows(DeadlineExceededException.class, channel::isOpen);
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldRefuseEachOtherWhenTheirTokensDiffer(Kind kind) {
    AtomicLong clock = new AtomicLong();
    try (Fabric low = kind.open(0, JobToken.random(), FabricPair.small());
        Fabric high = kind.open(settings(1, JobToken.random(), clock))) {
      Channel dialler = low.connect(1, high.address(), 1, Deadline.after(FabricPair.BUDGET));
      Deadline deadline = Deadline.after(ticker(clock), Duration.ofSeconds(2));
      Channel listener = high.connect(0, low.address(), 1, deadline);
      MismatchException error =
          expectThrows(MismatchException.class, () -> FabricPair.drive(dialler::isOpen, low, high));
      assertTrue(error.getMessage().contains("token"), error.getMessage());
      for (int i = 0; i < 1000; i++) {
        high.progress(); // sees the dialler hang up
      }
      clock.set(Duration.ofSeconds(2).toNanos());
      high.progress();
      DeadlineExceededException late =
          expectThrows(DeadlineExceededException.class, listener::isOpen);
      assertTrue(late.getMessage().contains("1 connections were refused"), late.getMessage());
    }
  }

  @Test(dataProvider = "connected")
  public void shouldServeThePeerWhenStrangersConnectAndSayNothing(Kind kind) throws IOException {
    serveAmong(kind, 200, new byte[0]);
  }

  @Test(dataProvider = "connected")
  public void shouldServeThePeerWhenStrangersTalkNonsense(Kind kind) throws IOException {
    byte[] nonsense = new byte[200];
    new SplittableRandom(1).nextBytes(nonsense);
    serveAmong(kind, 100, nonsense);
  }

  @DataProvider
  public Object[][] connectedAndKnown() {
    return Kind.chosen(Kind.CONNECTED).stream()
        .flatMap(kind -> Stream.of(new Object[] {kind, true}, new Object[] {kind, false}))
        .toArray(Object[][]::new);
  }

  /** All at once, and slowly: the listener looks a hundred times at each of them in vain. */
  @Test(dataProvider = "connectedAndKnown")
  public void shouldLetAllPeersInWhenManyDialAtOnce(Kind kind, boolean known) {
    int peers = 150;
    AtomicLong clock = new AtomicLong();
    JobToken token = JobToken.random();
    try (CloseStack stack = new CloseStack();
        Fabric high = kind.open(settings(peers, token, clock))) {
      List<Fabric> fabrics = new ArrayList<>();
      List<Channel> channels = new ArrayList<>();
      for (int rank = 0; rank < peers; rank++) {
        Fabric low = stack.opened(kind.open(rank, token, FabricPair.small()));
        fabrics.add(low);
        channels.add(low.connect(peers, high.address(), 1, Deadline.after(FabricPair.BUDGET)));
        low.progress();
        if (known) {
          channels.add(connect(high, rank, low, clock));
        }
      }
      for (int round = 0; round < 100 * peers; round++) {
        high.progress();
        clock.addAndGet(10_000_000);
        if (round % 1000 == 0) {
          fabrics.forEach(Fabric::progress);
        }
      }
      for (int rank = 0; rank < peers && !known; rank++) {
        channels.add(connect(high, rank, fabrics.get(rank), clock));
      }
      fabrics.add(high);
      FabricPair.drive(
          () -> channels.stream().allMatch(Channel::isOpen), fabrics.toArray(Fabric[]::new));
    }
  }

  private static Channel connect(Fabric high, int rank, Fabric low, AtomicLong clock) {
    Deadline deadline = Deadline.after(ticker(clock), Duration.ofHours(1));
    return high.connect(rank, low.address(), 1, deadline);
  }

  /** A peer gets through although strangers were there first. */
  private static void serveAmong(Kind kind, int strangers, byte[] words) throws IOException {
    JobToken token = JobToken.random();
    List<PeerSocket> sockets = new ArrayList<>();
    try (Fabric low = kind.open(0, token, FabricPair.small());
        Fabric high = kind.open(1, token, FabricPair.small());
        Medium stranger = kind.medium();
        TestMemory memory = new TestMemory(100, 0, 0)) {
      for (int i = 0; i < strangers; i++) {
        PeerSocket socket = stranger.dial(high.address(), Deadline.after(FabricPair.BUDGET));
        sockets.add(socket);
        FabricPair.drive(() -> connected(socket), high);
        socket.write(ByteBuffer.wrap(words));
      }
      Deadline deadline = Deadline.after(FabricPair.BUDGET);
      Channel sender = low.connect(1, high.address(), 1, deadline);
      Channel receiver = high.connect(0, low.address(), 1, deadline);
      sender.send(1, memory, 0, 100);
      receiver.receive(1, memory, 0, 100);
      FabricPair.drive(() -> receiver.poll(new Log()) == 1, low, high);
      assertEquals(receiver.receivedBytes(), 100);
      assertTrue(read(sockets.get(0)) < 0, "the first of " + strangers + " strangers is kept");
    } finally {
      for (PeerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test(dataProvider = "connected")
  public void shouldHangUpWhenAStrangerStaysSilentTooLong(Kind kind) throws IOException {
    AtomicLong clock = new AtomicLong();
    try (Fabric high = kind.open(settings(1, JobToken.random(), clock));
        Medium other = kind.medium();
        PeerSocket socket = other.dial(high.address(), Deadline.after(FabricPair.BUDGET))) {
      FabricPair.drive(() -> connected(socket), high);
      for (int i = 0; i < 100; i++) {
        high.progress();
      }
      assertEquals(read(socket), 0);
      clock.set(Duration.ofSeconds(31).toNanos());
      FabricPair.drive(() -> read(socket) < 0, high);
    }
  }

  private static int read(PeerSocket socket) {
    try {
      return socket.read(ByteBuffer.allocate(100));
    } catch (IOException e) {
      return -1;
    }
  }

  private static boolean connected(PeerSocket socket) {
    try {
      return socket.finishConnect();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static FabricSettings settings(int rank, JobToken token, AtomicLong clock) {
    return new FabricSettings(rank, token, HostPinner.none(), FabricPair.small(), ticker(clock));
  }

  private static Ticker ticker(AtomicLong clock) {
    return new Ticker() {
      @Override
      public long read() {
        return clock.get();
      }
    };
  }
}
