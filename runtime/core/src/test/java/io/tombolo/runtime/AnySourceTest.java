// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.ThreadRanks.LONG;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Receives that any rank may serve: each meets one message, in the order of its sender's calls. */
public class AnySourceTest {
  private static final CallOptions FREE = CallOptions.STANDARD.withoutStreamWait();
  private static final int RANKS = 4;
  private static final int[] TAGS = {0, 5};
  private static final int MORE_THAN_SLOTS_HOLD = 3 << 20;

  private ThreadRanks ranks;

  @BeforeClass
  public void join() {
    ranks = new ThreadRanks(RANKS);
  }

  @AfterClass(alwaysRun = true)
  public void leave() {
    ranks.close();
  }

  /** One rank's side of a scene: vectors of one size, and its messages. */
  private static final class Side implements AutoCloseable {
    private final Communicator all;
    private final int count;
    private final Stream stream;
    private final List<DeviceVector> vectors = new ArrayList<>();

    Side(Communicator all, int count) {
      this.all = all;
      this.count = count;
      this.stream = all.device().newStream();
    }

    private DeviceVector vector(float value) {
      float[] values = new float[count];
      Arrays.fill(values, value);
      vectors.add(DeviceVector.of(all, values));
      return vectors.get(vectors.size() - 1);
    }

    Work send(float value, int to, int tag) {
      return all.exchange(
          List.of(Message.send(vector(value).buffer(), to).tagged(tag)), FREE, stream);
    }

    Receive receive(int from, int tag) {
      DeviceVector room = vector(-1);
      Message message = Message.receive(room.buffer(), from).tagged(tag);
      return new Receive(room, from, tag, all.exchange(List.of(message), FREE, stream));
    }

    Receive receiveFromAny(int tag) {
      DeviceVector room = vector(-1);
      Message message = Message.receiveFromAny(room.buffer()).tagged(tag);
      Work work = all.exchange(List.of(message), FREE, stream);
      return new Receive(room, Message.ANY_RANK, tag, work);
    }

    @Override
    public void close() {
      stream.close();
      vectors.forEach(DeviceVector::close);
    }
  }

  /** A receive under way, from a rank or any. */
  private record Receive(DeviceVector room, int from, int tag, Work work) {
    /** Waits for it; the rank it came from. */
    int source() {
      work.await(LONG);
      if (from != Message.ANY_RANK) {
        assertEquals(work.source(), OptionalInt.empty());
        return from;
      }
      return work.source().orElseThrow();
    }

    /** Waits for it; all of its elements. */
    float value() {
      work.await(LONG);
      float[] floats = room.floats();
      for (float each : floats) {
        assertEquals(each, floats[0]);
      }
      return floats[0];
    }
  }

  private static float value(int from, int to, int tag, int number) {
    return 100_000 * from + 10_000 * to + 1_000 * tag + number;
  }

  @DataProvider
  public Object[][] sizes() {
    return new Object[][] {{1}, {777}, {MORE_THAN_SLOTS_HOLD}};
  }

  /**
   * All send to all, some messages more than once. Who receives names some senders, and takes the
   * rest from any; by the sources he is told, what came is in each sender's order.
   */
  @Test(dataProvider = "sizes", timeOut = 300_000)
  public void shouldMeetEachMessageOnceInItsSendersOrder(int count) {
    long seed = TestSeed.drawn();
    int most = count == MORE_THAN_SLOTS_HOLD ? 1 : 6;
    Random random = new Random(seed);
    int[][][] sent = new int[RANKS][RANKS][TAGS.length];
    for (int from = 0; from < RANKS; from++) {
      for (int to = 0; to < RANKS; to++) {
        for (int tag = 0; tag < TAGS.length; tag++) {
          sent[from][to][tag] = from == to ? 0 : random.nextInt(most + 1);
        }
      }
    }
    ThreadRanks.onAll(
        ranks.all(),
        all -> {
          try (Side side = new Side(all, count)) {
            exchange(side, sent, new Random(seed + all.rank()));
            return true;
          }
        });
  }

  private static void exchange(Side side, int[][][] sent, Random random) {
    int self = side.all.rank();
    List<Work> sends = new ArrayList<>();
    List<Receive> receives = new ArrayList<>();
    for (int index = 0; index < TAGS.length; index++) {
      int tag = TAGS[index];
      int unnamed = 0;
      for (int peer = 0; peer < RANKS; peer++) {
        for (int number = 0; number < sent[self][peer][index]; number++) {
          sends.add(side.send(value(self, peer, tag, number), peer, tag));
        }
        // Those that are named come first: one from any could take what they are for.
        int named = random.nextInt(sent[peer][self][index] + 1);
        for (int number = 0; number < named; number++) {
          receives.add(side.receive(peer, tag));
        }
        unnamed += sent[peer][self][index] - named;
      }
      for (int number = 0; number < unnamed; number++) {
        receives.add(side.receiveFromAny(tag));
      }
    }
    int[][] numbers = new int[RANKS][TAGS.length];
    for (Receive receive : receives) {
      int from = receive.source();
      int index = Arrays.binarySearch(TAGS, receive.tag());
      assertEquals(
          receive.value(),
          value(from, self, receive.tag(), numbers[from][index]++),
          receive + " on rank " + self);
    }
    sends.forEach(work -> work.await(LONG));
  }

  /** Rank 1's first message is that of the receive that was called first, whoever else sends. */
  @Test(timeOut = 180_000)
  public void shouldHoldBackLaterReceivesUntilItHasMetAMessage() {
    ThreadRanks.onAll(ranks.all(), all -> inOrder(all, 1));
  }

  /** The later receive has what rank 1 sends next, though rank 1 was asked before. */
  @Test(timeOut = 180_000)
  public void shouldTakeNothingFromThoseItDoesNotMeet() {
    ThreadRanks.onAll(ranks.all(), all -> inOrder(all, 2));
  }

  private static boolean inOrder(Communicator all, int first) {
    try (Side side = new Side(all, 3)) {
      if (all.rank() == 0) {
        Receive any = side.receiveFromAny(7);
        Receive named = side.receive(1, 7);
        side.send(0, first, 8).await(LONG);
        assertEquals(any.source(), first);
        assertEquals(any.value(), first + 0.5F);
        side.send(0, 1, 8).await(LONG);
        assertEquals(named.value(), 9F);
      } else {
        if (all.rank() == first) {
          side.receive(0, 8).work().await(LONG);
          side.send(first + 0.5F, 0, 7).await(LONG);
        }
        if (all.rank() == 1) {
          side.receive(0, 8).work().await(LONG);
          side.send(9, 0, 7).await(LONG);
        }
      }
    }
    return true;
  }

  /** An earlier receive names rank 1, and waits for its stream: rank 1's message is its own. */
  @Test(timeOut = 180_000)
  public void shouldLeaveToAnEarlierReceiveWhatItNames() {
    ThreadRanks.onAll(
        ranks.all(),
        all -> {
          switch (all.rank()) {
            case 0 -> receiveBehindAGate(all);
            case 1 -> sendAndTell(all);
            case 2 -> sendWhenTold(all);
            default -> {}
          }
          return true;
        });
  }

  private static void receiveBehindAGate(Communicator all) {
    try (NativeMemory word = NativeMemory.allocate(Long.BYTES);
        Side held = new Side(all, 3);
        Side side = new Side(all, 3)) {
      word.cell(0).setRelease(0);
      all.device().waitValueAsync(held.stream, word.address(), 1);
      Receive named = held.receive(1, 7);
      Receive any = side.receiveFromAny(7);
      side.receive(1, 8).work().await(LONG);
      side.send(0, 2, 9).await(LONG);
      assertEquals(any.source(), 2);
      assertFalse(named.work().isDone());
      word.cell(0).setRelease(1);
      assertEquals(named.value(), 1F);
    }
  }

  private static void sendAndTell(Communicator all) {
    try (Side side = new Side(all, 3)) {
      side.send(1, 0, 7).await(LONG);
      side.send(1, 0, 8).await(LONG);
    }
  }

  private static void sendWhenTold(Communicator all) {
    try (Side side = new Side(all, 3)) {
      side.receive(0, 9).work().await(LONG);
      side.send(2, 0, 7).await(LONG);
    }
  }

  /** Rank 0 never opens its end of the channel that rank 2 has for what it might send. */
  @Test(timeOut = 180_000)
  public void shouldNotMindHowLongOthersSendNothing() {
    Duration timeout = Duration.ofSeconds(5);
    try (ThreadRanks patient = new ThreadRanks(3, timeout)) {
      ThreadRanks.onAll(patient.all(), all -> exchangeFor(all, timeout.multipliedBy(2)));
    }
  }

  private static boolean exchangeFor(Communicator all, Duration time) {
    try (Side side = new Side(all, 1)) {
      Deadline end = Deadline.after(time);
      boolean goesOn = all.rank() > 0;
      while (goesOn && all.rank() == 2) {
        goesOn = !end.isExpired();
        side.send(goesOn ? 1 : 0, 1, 0).await(LONG);
        assertEquals(side.receiveFromAny(6).source(), 1);
      }
      while (goesOn) {
        goesOn = side.receive(2, 0).value() == 1;
        side.send(3, 2, 6).await(LONG);
      }
    }
    return true;
  }

  @Test(timeOut = 180_000)
  public void shouldSayThatNobodyHasSent() {
    List<Communicator> parts = ThreadRanks.split(ranks.all());
    try (Side side = new Side(parts.get(0), 2)) {
      Message message = Message.receiveFromAny(side.vector(0).buffer()).tagged(3);
      CallOptions soon = CallOptions.STANDARD.withTimeout(Duration.ofMillis(100));
      Work work = parts.get(0).exchange(List.of(message), soon, side.stream);
      String why =
          expectThrows(DeadlineExceededException.class, () -> work.await(LONG)).getMessage();
      assertTrue(why.contains("receive of 2 f32 from any rank, tag 3"), why);
      assertTrue(why.contains("held up by no rank has sent such a message"), why);
    } finally {
      ThreadRanks.closeAll(parts);
    }
  }

  @Test(timeOut = 180_000)
  public void shouldRefuseWhatCannotHaveASource() {
    Communicator all = ranks.all().get(0);
    try (Side side = new Side(all, 2)) {
      DeviceBuffer room = side.vector(0).buffer();
      assertRefused(
          side, "a batch of its own", Message.receiveFromAny(room), Message.send(room, 1));
      DeviceBuffer none = DeviceBuffer.none(all.device(), DataType.F32);
      assertRefused(side, "has no source", Message.receiveFromAny(none));
    }
  }

  private static void assertRefused(Side side, String why, Message... messages) {
    String said =
        expectThrows(
                UsageException.class, () -> side.all.exchange(List.of(messages), FREE, side.stream))
            .getMessage();
    assertTrue(said.contains(why), said);
  }
}
