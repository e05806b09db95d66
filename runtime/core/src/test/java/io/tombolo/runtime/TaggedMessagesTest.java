// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.ThreadRanks.LONG;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.exec.message.Messenger;
import io.tombolo.runtime.exec.run.Executor;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** Messages meet those of their tag, in the order of the calls, whatever others do. */
public class TaggedMessagesTest {
  private static final int RANKS = 3;
  private static final int[] TAGS = {0, 1, 2, 77, Integer.MAX_VALUE};

  /** No rank has more than there are places: in an unlucky order all may wait for the first. */
  private static final int MESSAGES = 150;

  /** More than {@link Executor#PLACES}, of which each waits for one of the other rank. */
  private static final int BEFORE_ANY_IS_MET = 200;

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

  /** All messages of one tag from one rank to another. */
  private record Way(int from, int to, int tag) {
    int size(int number) {
      return Math.floorMod(Objects.hash(from, to, tag, number), 3000);
    }

    int element(int number, int index) {
      return Objects.hash(from, to, tag, number) + index;
    }
  }

  /** A message of one rank, and what it must receive. */
  private record Underway(Message message, NativeMemory memory, Way way, int number, Work work) {
    void check() {
      work.await(LONG);
      for (int i = 0; i < message.buffer().count(); i++) {
        int got = memory.view(0, (int) message.sizeBytes()).getInt(i * Integer.BYTES);
        assertEquals(got, way.element(number, i), way + " number " + number + " element " + i);
      }
      memory.close();
    }
  }

  @Test(timeOut = 180_000)
  public void shouldMeetMessagesOfTheSameTagInTheirOrder() {
    Random random = new Random(TestSeed.drawn());
    List<Way> drawn = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      int from = random.nextInt(RANKS);
      int to = (from + 1 + random.nextInt(RANKS - 1)) % RANKS;
      drawn.add(new Way(from, to, TAGS[random.nextInt(TAGS.length)]));
    }
    List<List<Way>> orders = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      List<Way> own = new ArrayList<>(drawn);
      Collections.shuffle(own, random);
      orders.add(own);
    }
    ThreadRanks.onAll(ranks.all(), all -> exchange(all, orders.get(all.rank())));
  }

  @Test(timeOut = 180_000)
  public void shouldTakeManyReceivesBeforeTheSendsThatTheyWaitFor() {
    assertTrue(2 * BEFORE_ANY_IS_MET < Messenger.PLACES && MESSAGES < Messenger.PLACES);
    ThreadRanks.onAll(ranks.all(), TaggedMessagesTest::receiveFirst);
  }

  private static boolean receiveFirst(Communicator all) {
    List<Way> order = new ArrayList<>();
    int next = (all.rank() + 1) % RANKS;
    int last = (all.rank() + RANKS - 1) % RANKS;
    order.addAll(Collections.nCopies(BEFORE_ANY_IS_MET, new Way(last, all.rank(), TAGS[1])));
    order.addAll(Collections.nCopies(BEFORE_ANY_IS_MET, new Way(all.rank(), next, TAGS[1])));
    return exchange(all, order);
  }

  private static boolean exchange(Communicator all, List<Way> order) {
    List<Underway> underWay = new ArrayList<>();
    try (Stream stream = all.device().newStream()) {
      Map<Way, Integer> counts = new HashMap<>();
      for (Way way : order) {
        if (way.from() == all.rank() || way.to() == all.rank()) {
          underWay.add(start(all, way, counts.merge(way, 1, Integer::sum), stream));
        }
      }
      underWay.forEach(Underway::check);
    }
    return true;
  }

  private static Underway start(Communicator all, Way way, int number, Stream stream) {
    int size = way.size(number);
    NativeMemory memory = NativeMemory.allocate(Math.max(1, size) * (long) Integer.BYTES);
    boolean sends = way.from() == all.rank();
    for (int i = 0; i < size; i++) {
      memory
          .view(0, size * Integer.BYTES)
          .putInt(i * Integer.BYTES, sends ? way.element(number, i) : 0);
    }
    DeviceBuffer buffer = DeviceBuffer.foreign(all.device(), memory.address(), size, DataType.I32);
    Message message =
        (sends ? Message.send(buffer, way.to()) : Message.receive(buffer, way.from()))
            .tagged(way.tag());
    return new Underway(message, memory, way, number, start(all, message, stream));
  }

  private static Work start(Communicator all, Message message, Stream stream) {
    return all.exchange(List.of(message), CallOptions.STANDARD.withoutStreamWait(), stream);
  }

  @Test(timeOut = 180_000)
  public void shouldNotWaitForMessagesOfOtherTags() {
    ThreadRanks.onAll(ranks.all(), TaggedMessagesTest::receiveInTheOtherOrder);
  }

  private static boolean receiveInTheOtherOrder(Communicator all) {
    try (DeviceVector large = DeviceVector.of(all, new float[MORE_THAN_SLOTS_HOLD]);
        DeviceVector small = DeviceVector.of(all, all.rank());
        Stream stream = all.device().newStream()) {
      if (all.rank() == 0) {
        Work first = start(all, Message.send(large.buffer(), 1).tagged(1), stream);
        start(all, Message.send(small.buffer(), 1).tagged(2), stream).await(LONG);
        first.await(LONG);
      } else if (all.rank() == 1) {
        start(all, Message.receive(small.buffer(), 0).tagged(2), stream).await(LONG);
        assertEquals(small.floats(), new float[] {0});
        start(all, Message.receive(large.buffer(), 0).tagged(1), stream).await(LONG);
      }
    }
    return true;
  }

  @Test(timeOut = 180_000)
  public void shouldMeetItsOwnMessagesByTheirTag() {
    Communicator all = ranks.all().get(2);
    try (DeviceVector from = DeviceVector.of(all, 1, 2);
        DeviceVector to = DeviceVector.of(all, 0, 0);
        Stream stream = all.device().newStream()) {
      all.exchange(
              List.of(
                  Message.send(from.buffer().slice(0, 1), 2).tagged(8),
                  Message.send(from.buffer().slice(1, 1), 2).tagged(9),
                  Message.receive(to.buffer().slice(0, 1), 2).tagged(9),
                  Message.receive(to.buffer().slice(1, 1), 2).tagged(8)),
              stream)
          .await(LONG);
      assertEquals(to.floats(), new float[] {2, 1});
      List<Message> unmet =
          List.of(
              Message.send(from.buffer(), 2).tagged(8), Message.receive(to.buffer(), 2).tagged(9));
      String why =
          expectThrows(UsageException.class, () -> all.exchange(unmet, stream)).getMessage();
      assertTrue(why.contains("send of 2 f32 to rank 2, tag 8 has no receive of its tag"), why);
    }
  }

  @Test(timeOut = 180_000)
  public void shouldRefuseTagsBelowZero() {
    Communicator all = ranks.all().get(0);
    try (Stream stream = all.device().newStream()) {
      Message message = Message.send(DeviceBuffer.none(all.device(), DataType.F32), 1).tagged(-1);
      String why =
          expectThrows(UsageException.class, () -> start(all, message, stream)).getMessage();
      assertTrue(why.contains("rank 1, tag -1: tags are 0 or more"), why);
    }
  }

  @Test(timeOut = 180_000)
  public void shouldRefuseMoreTagsThanThereAreChannelsFor() {
    List<Communicator> parts = ThreadRanks.split(ranks.all());
    Communicator part = parts.get(0);
    try (Stream stream = part.device().newStream()) {
      DeviceBuffer none = DeviceBuffer.none(part.device(), DataType.F32);
      for (int tag = 0; tag <= 64; tag++) {
        start(part, Message.send(none, 1).tagged(tag), stream).await(LONG);
      }
      Message tooMany = Message.send(none, 1).tagged(65);
      String why =
          expectThrows(ResourceException.class, () -> start(part, tooMany, stream)).getMessage();
      assertTrue(why.contains("tag 65: messages of 64 other tags have been here"), why);
      start(part, Message.send(none, 1).tagged(64), stream).await(LONG);
    } finally {
      ThreadRanks.closeAll(parts);
    }
  }
}
