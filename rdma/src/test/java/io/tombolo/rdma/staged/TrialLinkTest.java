// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.tcp.TcpMedium;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.event.EventRecordingLogger;
import org.slf4j.event.Level;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLogger;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Two ends of a channel whose way does what the test says, on a clock of the test's. */
public final class TrialLinkTest {
  private static final SlotGeometry GEOMETRY = new SlotGeometry(3, 192);
  private static final Duration BUDGET = Duration.ofSeconds(20);
  private static final int SIZE = 1000;

  /** Enough for all that is said, a few bytes at a time. */
  private static final int ROUNDS = 5000;

  private static final int TRICKLE = 5;

  /** Enough for all that is said. */
  private static final int AT_ONCE = 4096;

  private static final int SEED = 7;
  private static final int SPEECHES = 2000;
  private static final int SPEECH_BYTES = 40;

  private TcpMedium tcp;
  private long nowNs;

  @BeforeClass
  public void open() {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    tcp = TcpMedium.open(HostPinner.none(), bind);
  }

  @AfterClass(alwaysRun = true)
  public void close() {
    tcp.close();
  }

  private final class End {
    final WayOnTrial way = new WayOnTrial();
    final Postings postings = new Postings();
    final TrialMedium medium;
    MessageLink link;
    int done;

    End(int rank) {
      medium = new TrialMedium(way, tcp, rank);
    }

    void join(int peer, PeerSocket socket, Duration budget) {
      Deadline opening = Deadline.after(clock(), budget);
      Joined joined = new Joined(peer, 7, socket, GEOMETRY, peer == 1, Optional.of(opening));
      link = medium.messages(joined, postings.sends(), postings.receives());
    }
  }

  private final class Pair {
    final TricklingSocket[] sockets;
    final End[] ends = {new End(0), new End(1)};

    Pair() {
      this(TRICKLE);
    }

    Pair(int bytesAtATime) {
      sockets = TricklingSocket.pair(bytesAtATime);
    }

    void join() {
      join(BUDGET, BUDGET);
    }

    void join(Duration low, Duration high) {
      ends[0].join(1, sockets[0], low);
      ends[1].join(0, sockets[1], high);
    }

    /** Another channel, whose way opens. */
    void joinAgain() throws IOException {
      TricklingSocket[] others = TricklingSocket.pair(TRICKLE);
      for (int end = 0; end < 2; end++) {
        ends[end].way.failure = Optional.empty();
        ends[end].way.opens = true;
        ends[end].join(1 - end, others[end], BUDGET);
      }
      settle();
    }

    void settle() throws IOException {
      for (int round = 0; round < ROUNDS; round++) {
        ends[0].link.progress();
        ends[1].link.progress();
      }
    }

    /** A message from the first end to the second, posted while they were opening. */
    void deliver(TestMemory source, TestMemory target) throws IOException {
      settle();
      for (End end : ends) {
        end.postings.poll(new Count(end));
      }
      assertEquals(ends[0].done + ends[1].done, 2);
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
  }

  private record Count(End end) implements Channel.Completions {
    @Override
    public void onSent(long tag, long sizeBytes) {
      end.done++;
    }

    @Override
    public void onReceived(long tag, long sizeBytes) {
      end.done++;
    }
  }

  private Ticker clock() {
    return new Ticker() {
      @Override
      public long read() {
        return nowNs;
      }
    };
  }

  private static TomboloException error() {
    return new UnavailableException("no packet is answered");
  }

  @Test
  public void shouldCarryNothingBeforeBothEndsAreOpen() throws IOException {
    Pair pair = new Pair();
    pair.join();
    try (TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      pair.ends[0].postings.send(1, memory, 0, SIZE);
      pair.ends[1].postings.send(1, memory, 0, SIZE);
      for (int first = 0; first < 2; first++) {
        pair.ends[first].way.opens = true;
        pair.settle();
        boolean areBoth = first == 1;
        for (End end : pair.ends) {
          assertEquals(end.link.isReady(), areBoth);
          assertEquals(end.way.taken, areBoth ? 1 : 0);
          assertEquals(end.link.carrier(), Optional.empty());
        }
      }
    }
  }

  @DataProvider
  public Object[][] ends() {
    return new Object[][] {{0}, {1}};
  }

  /** The other one is open, or is not. */
  @Test(dataProvider = "ends")
  public void shouldGoByTheConnectionWhenOneEndFails(int failing) throws IOException {
    for (boolean opens : new boolean[] {true, false}) {
      Pair pair = new Pair();
      pair.ends[1 - failing].way.opens = opens;
      pair.join();
      try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(3);
          TestMemory target = new TestMemory(SIZE, 0, 0)) {
        pair.ends[0].postings.send(1, source, 0, SIZE);
        pair.ends[1].postings.receive(1, target, 0, SIZE);
        pair.settle();
        assertFalse(pair.ends[0].link.isReady() || pair.ends[1].link.isReady());
        pair.ends[failing].way.failure = Optional.of(error());
        pair.deliver(source, target);
      }
      for (int end = 0; end < 2; end++) {
        shouldHaveLeft(pair.ends[end], 1 - end);
      }
      assertEquals(why(pair, failing), "no packet is answered");
      assertEquals(why(pair, 1 - failing), "rank " + failing + " says: no packet is answered");
    }
  }

  private static String why(Pair pair, int end) {
    return pair.ends[end].medium.instead(1 - end).orElseThrow().why();
  }

  private static void shouldHaveLeft(End end, int peer) {
    assertTrue(end.link.isReady());
    assertEquals(end.link.carrier(), Optional.of("tcp"));
    assertEquals(end.medium.instead(peer).orElseThrow().fabric(), "tcp");
    assertEquals(end.way.taken, 0);
    assertTrue(end.way.hungUp && end.way.closed);
  }

  /** With half of the opening's time left for what comes then. */
  @Test
  public void shouldGoByTheConnectionWhenOneEndDoesNotOpenInTime() throws IOException {
    Pair pair = new Pair();
    pair.join(BUDGET, BUDGET.multipliedBy(2));
    pair.ends[0].way.opens = true;
    pair.settle();
    nowNs += BUDGET.toNanos() / 2 - 1;
    pair.settle();
    assertFalse(pair.ends[0].link.isReady() || pair.ends[1].link.isReady());
    nowNs++;
    pair.settle();
    shouldHaveLeft(pair.ends[0], 1);
    shouldHaveLeft(pair.ends[1], 0);
  }

  /** Who may open for an hour is not to wait for half of it. */
  @Test
  public void shouldTryForHalfAMinuteAtMost() throws IOException {
    Pair pair = new Pair();
    pair.join(Duration.ofHours(1), Duration.ofHours(1));
    pair.settle();
    nowNs += Duration.ofSeconds(30).toNanos() - 1;
    pair.settle();
    assertFalse(pair.ends[0].link.isReady() || pair.ends[1].link.isReady());
    nowNs++;
    pair.settle();
    shouldHaveLeft(pair.ends[0], 1);
    shouldHaveLeft(pair.ends[1], 0);
  }

  /** Its user may expect a message much later than it is sent. */
  @Test
  public void shouldNotHurryAPeerThatHasNotCome() throws IOException {
    Pair pair = new Pair();
    pair.ends[0].join(1, pair.sockets[0], Duration.ofHours(3));
    pair.ends[0].way.opens = true;
    drive(pair.ends[0]);
    nowNs += Duration.ofHours(2).toNanos();
    drive(pair.ends[0]);
    pair.ends[1].way.opens = true;
    pair.ends[1].join(0, pair.sockets[1], Duration.ofHours(3));
    pair.settle();
    for (End end : pair.ends) {
      assertTrue(end.link.isReady());
      assertEquals(end.link.carrier(), Optional.empty());
    }
  }

  /** As where a device has no queue pair left. */
  @Test(dataProvider = "ends")
  public void shouldGoByTheConnectionWhenOneEndCannotBeMade(int failing) throws IOException {
    Pair pair = new Pair();
    pair.ends[failing].way.failure = Optional.of(error());
    pair.join();
    pair.settle();
    assertTrue(pair.ends[0].link.isReady() && pair.ends[1].link.isReady());
    assertEquals(pair.ends[failing].link.carrier(), Optional.of("tcp"));
  }

  @Test(dataProvider = "ends")
  public void shouldNotTryAgainOnceOneEndKnows(int knowing) throws IOException {
    Pair pair = new Pair();
    pair.ends[knowing].medium.onLeft(1 - knowing, "no packet is answered", true);
    pair.ends[1 - knowing].way.opens = true;
    pair.join();
    pair.settle();
    assertEquals(pair.ends[knowing].way.made, 0);
    shouldHaveLeft(pair.ends[1 - knowing], knowing);
    assertEquals(pair.ends[knowing].link.carrier(), Optional.of("tcp"));
  }

  @DataProvider
  public Object[][] budgets() {
    return new Object[][] {{Duration.ofSeconds(1), true}, {BUDGET, false}};
  }

  /** Half of it is too short to tell, or is not. */
  @Test(dataProvider = "budgets")
  public void shouldTryAgainAfterATrialThatWasShort(Duration budget, boolean isShort)
      throws IOException {
    Pair pair = new Pair();
    pair.join(budget, budget);
    pair.settle();
    nowNs += budget.toNanos() / 2;
    pair.settle();
    shouldHaveLeft(pair.ends[0], 1);
    shouldHaveLeft(pair.ends[1], 0);
    pair.joinAgain();
    Optional<String> carrier = isShort ? Optional.empty() : Optional.of("tcp");
    for (int end = 0; end < 2; end++) {
      assertTrue(pair.ends[end].link.isReady());
      assertEquals(pair.ends[end].way.made, isShort ? 2 : 1);
      assertEquals(pair.ends[end].link.carrier(), carrier);
      assertEquals(pair.ends[end].medium.instead(1 - end).isEmpty(), isShort);
    }
  }

  /** The way may tell that the peer has left before the connection tells why, or after it. */
  @Test(dataProvider = "ends")
  public void shouldTryAgainAfterATrialThatWasShortForThePeer(int leaving) throws IOException {
    int staying = 1 - leaving;
    for (int bytesAtATime : new int[] {TRICKLE, AT_ONCE}) {
      for (boolean opens : new boolean[] {true, false}) {
        Pair pair = new Pair(bytesAtATime);
        pair.ends[leaving].way.told = Optional.of(pair.ends[staying].way);
        pair.ends[staying].way.opens = opens;
        Duration shorter = Duration.ofSeconds(4);
        pair.join(leaving == 0 ? shorter : BUDGET, leaving == 0 ? BUDGET : shorter);
        pair.settle();
        nowNs += shorter.toNanos() / 2;
        drive(pair.ends[leaving]);
        pair.settle();
        String told = bytesAtATime == AT_ONCE ? "" : "the peer closed its end; ";
        assertEquals(why(pair, staying), told + "rank " + leaving + " says: it waits for the test");
        pair.joinAgain();
        for (End end : pair.ends) {
          assertTrue(end.link.isReady());
          assertEquals(end.link.carrier(), Optional.empty());
        }
      }
    }
  }

  /** However soon; the other end need not know it. */
  @Test(dataProvider = "ends")
  public void shouldNotTryAgainOnceTheWayItselfHasFailed(int failing) throws IOException {
    Pair pair = new Pair();
    pair.join(Duration.ofSeconds(1), Duration.ofSeconds(1));
    pair.ends[failing].way.failure = Optional.of(error());
    pair.settle();
    pair.joinAgain();
    assertEquals(pair.ends[failing].way.made, 1);
    for (int end = 0; end < 2; end++) {
      assertTrue(pair.ends[end].link.isReady());
      assertEquals(pair.ends[end].link.carrier(), Optional.of("tcp"));
    }
    assertTrue(why(pair, failing).contains("no packet is answered"), why(pair, failing));
  }

  /** In a large job there may be as many such peers as ranks. */
  @Test
  public void shouldWarnOnceOfEachKind() {
    Queue<SubstituteLoggingEvent> said = new ArrayDeque<>();
    Logger log = new EventRecordingLogger(new SubstituteLogger("trials", said, true), said);
    TrialMedium medium = new TrialMedium(new WayOnTrial(), tcp, 0, log);
    for (boolean forGood : new boolean[] {false, true}) {
      for (int peer = 1; peer < 4; peer++) {
        medium.onLeft(peer, "no packet is answered", forGood);
      }
    }
    List<Level> once = List.of(Level.WARN, Level.DEBUG, Level.DEBUG);
    List<Level> levels = said.stream().map(SubstituteLoggingEvent::getLevel).toList();
    assertEquals(levels.subList(0, 3), once, "of short trials");
    assertEquals(levels.subList(3, 6), once, "of peers that are left for good");
  }

  /** It may have been told that the channel is open, and the peer sends. */
  @Test
  public void shouldKeepItsPromiseWhenItFailsAfterwards() throws IOException {
    Pair pair = new Pair();
    pair.join();
    pair.ends[1].way.opens = true;
    pair.settle();
    pair.ends[1].way.failure = Optional.of(error());
    pair.settle();
    String waiting = pair.ends[1].link.doing();
    assertTrue(waiting.contains("failed since (no packet is answered)"), waiting);
    pair.ends[0].way.opens = true;
    assertSame(
        expectThrows(UnavailableException.class, pair::settle),
        pair.ends[1].way.failure.orElseThrow());
    assertTrue(pair.ends[0].link.isReady());
    assertEquals(pair.ends[0].link.carrier(), Optional.empty());
  }

  /** Whatever this end has met says more than that the peer has gone. */
  @Test
  public void shouldEndWithItsOwnErrorWhenThePeerGoes() throws IOException {
    Pair pair = new Pair();
    pair.join();
    TomboloException own = new PeerFailedException("nothing heard for 10 s");
    pair.ends[0].way.failure = Optional.of(own);
    pair.sockets[1].close();
    assertSame(expectThrows(PeerFailedException.class, () -> drive(pair.ends[0])), own);
  }

  @Test
  public void shouldNotWaitForAPeerThatHasGone() throws IOException {
    Pair pair = new Pair();
    pair.join();
    pair.ends[0].way.opens = true;
    drive(pair.ends[0]);
    pair.sockets[1].close();
    String text = expectThrows(IOException.class, () -> drive(pair.ends[0])).getMessage();
    assertTrue(text.contains("closed the connection before it was ready"), text);
  }

  /** Such as a host that is cut off: nobody has closed anything there. */
  @Test
  public void shouldSayWhatTheConnectionBrokeOf() throws IOException {
    String silent = "its host has answered nothing for 25000 ms";
    assertEquals(broken(new SocketTimeoutException(silent)), silent);
    assertEquals(
        broken(new IOException("Connection reset")),
        "the other side closed the connection before it was ready (Connection reset); look at its"
            + " output");
  }

  private String broken(IOException why) throws IOException {
    Pair pair = new Pair();
    pair.join();
    pair.ends[1].way.opens = true;
    pair.settle();
    pair.sockets[1].breakOff(why);
    return expectThrows(IOException.class, () -> drive(pair.ends[1])).getMessage();
  }

  /** Half a word would come before the first slot, and a peer that is gone is not reached. */
  @Test
  public void shouldNotGoByAConnectionThatDoesNotTakeTheAnswer() throws IOException {
    Pair pair = new Pair();
    pair.join();
    pair.settle();
    pair.ends[0].way.failure = Optional.of(error());
    drive(pair.ends[0]);
    pair.sockets[1].closeForWriting(new IOException("Broken pipe"));
    String text = expectThrows(IOException.class, () -> drive(pair.ends[1])).getMessage();
    assertTrue(
        text.contains("(Broken pipe)") && text.contains("rank 0 says: no packet is answered"),
        text);
    assertEquals(pair.ends[1].medium.instead(0), Optional.empty());
  }

  /** Also where the end that cannot say so has met an error by itself. */
  @Test
  public void shouldSayWhyItDoesNotGoByTheConnectionBesidesItsOwnError() throws IOException {
    Pair pair = new Pair();
    pair.join();
    pair.settle();
    pair.ends[0].way.failure = Optional.of(error());
    drive(pair.ends[0]);
    TomboloException own = new PeerFailedException("nothing heard for 10 s");
    pair.ends[1].way.failure = Optional.of(own);
    pair.sockets[1].closeForWriting(new IOException("Broken pipe"));
    PeerFailedException error = expectThrows(PeerFailedException.class, () -> drive(pair.ends[1]));
    assertEquals(
        error.getMessage(),
        "the connection by which the ends agree broke (Broken pipe), and what was tried had failed:"
            + " nothing heard for 10 s");
    assertSame(error.getCause(), own);
    assertEquals(pair.ends[1].medium.instead(0), Optional.empty());
  }

  /** Who has proved the token may have gone mad all the same: that ends this channel only. */
  @Test
  public void shouldMeetNothingButCorruptionWhateverThePeerSays() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    int refused = 0;
    for (int i = 0; i < SPEECHES; i++) {
      TricklingSocket[] sockets = TricklingSocket.pair(SPEECH_BYTES);
      End end = new End(i % 2);
      end.way.opens = random.nextBoolean();
      end.join(1 - i % 2, sockets[0], BUDGET);
      sockets[1].write(speech(random));
      try {
        for (int round = 0; round < SPEECH_BYTES; round++) {
          end.link.progress();
        }
      } catch (CorruptException e) {
        refused++;
      }
      end.link.close();
    }
    assertTrue(refused > SPEECHES / 4, "only " + refused + " refused with seed " + SEED);
  }

  /** Frames whose types and lengths may be anything; the last one may be cut short. */
  private static ByteBuffer speech(SplittableRandom random) {
    ByteBuffer speech = ByteBuffer.allocate(SPEECH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    while (speech.remaining() > TrialSocket.HEADER_BYTES) {
      boolean isMad = random.nextInt(8) == 0;
      int bytes = random.nextInt(isMad ? 1 << Short.SIZE : 4);
      speech.put((byte) "CPOLX".charAt(random.nextInt(5))).putShort((short) bytes);
      byte[] payload = new byte[Math.min(bytes, speech.remaining())];
      random.nextBytes(payload);
      speech.put(payload);
    }
    return speech.flip();
  }

  /** What a device holds on to is freed once it lets go, or with the channel. */
  @Test
  public void shouldFreeWhatItLeavesOnceThatIsQuiet() throws IOException {
    Pair pair = new Pair();
    pair.ends[0].way.isQuiet = false;
    pair.join();
    pair.ends[1].way.failure = Optional.of(error());
    pair.settle();
    assertTrue(pair.ends[0].link.isReady() && pair.ends[0].way.hungUp);
    assertFalse(pair.ends[0].way.closed);
    assertFalse(pair.ends[0].link.isQuiet());
    pair.ends[0].way.isQuiet = true;
    pair.settle();
    assertTrue(pair.ends[0].way.closed);
    pair.ends[0].link.close();
    assertFalse(pair.sockets[0].isOpen());
  }

  private static void drive(End end) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      end.link.progress();
    }
  }
}
