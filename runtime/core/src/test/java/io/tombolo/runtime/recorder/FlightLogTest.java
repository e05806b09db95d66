// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Resource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What is read is what was written, and of anything else one hears what is wrong. */
public final class FlightLogTest {
  private static final int RECORDS = 128;
  private static final FlightHeader HEADER =
      new FlightHeader(
          RECORDS,
          1,
          4,
          5,
          2,
          0x0123456789abcdefL,
          3,
          1_000,
          1_700_000_000_000_000_000L,
          "emu-nvidia",
          "host-ä",
          RankClaim.ofThisProcess(),
          "tp/0");

  private ByteBuffer bytes;
  private FlightFile file;

  @BeforeMethod
  public void create() {
    bytes = ByteBuffer.allocateDirect(FlightFormat.fileBytes(RECORDS));
    file = FlightFile.on(bytes, HEADER);
  }

  @Test
  public void shouldReadTheLastOperationsOfEachKind() {
    Random random = new Random(TestSeed.drawn());
    SortedMap<Long, String> collectives = new TreeMap<>();
    SortedMap<Long, String> messages = new TreeMap<>();
    for (int i = 1; i <= 1_000; i++) {
      write(file.collectives(), i, random, collectives);
      write(file.messages(), i, random, messages);
    }
    FlightLog log = FlightLog.decode(bytes);
    assertEquals(log.header(), HEADER);
    assertEquals(log.end(), new FlightEnd(FlightEnd.Kind.NONE, 0, ""));
    assertEquals(shown(log.collectives()), List.copyOf(last(collectives).values()));
    assertEquals(shown(log.messages()), List.copyOf(last(messages).values()));
    assertEquals(log.torn() + log.damaged(), 0);
  }

  /** Writes an operation, and what should be read of it, in words of this test's own. */
  private static void write(
      FlightRing ring, long sequence, Random random, SortedMap<Long, String> expected) {
    long count = random.nextInt(1_000);
    long beginNs = System.nanoTime();
    ring.submitted(
        sequence,
        CollectiveCall.vector(
            Collective.REDUCE, count, DataType.BF16, new Reduction.By(ReduceOp.MAX), 2, false),
        1,
        2 * count);
    int end = random.nextInt(4);
    long started = end > 0 ? beginNs + 1 : 0;
    long ended = end > 1 ? beginNs + 2 : 0;
    if (end > 0) {
      ring.started(sequence, started);
    }
    int step = random.nextInt(-1, 9);
    if (step >= 0) {
      ring.reached(sequence, FlightStep.word(step, 9, new Resource(Resource.Kind.SEND, 3)));
    }
    if (end > 1) {
      ring.ended(sequence, end == 2, ended);
    }
    String state = List.of("submitted", "started", "done", "failed").get(end);
    expected.put(
        sequence,
        "reduce of %s bf16 by max, root 2 (#%s, %s bytes) %s %s %s %s"
            .formatted(
                count,
                sequence,
                2 * count,
                state,
                started,
                ended,
                step < 0 ? "nowhere" : "at step %s of 9: send to rank 3".formatted(step)));
  }

  private static SortedMap<Long, String> last(SortedMap<Long, String> all) {
    return all.tailMap(all.lastKey() - RECORDS + 1);
  }

  private static List<String> shown(List<FlightRecord> records) {
    return records.stream()
        .map(
            each ->
                "%s %s %s %s %s"
                    .formatted(
                        each,
                        each.state().text(),
                        each.startedNs(),
                        each.endedNs(),
                        each.step().map(FlightStep::toString).orElse("nowhere")))
        .toList();
  }

  @DataProvider
  Object[][] calls() {
    Layout.One ten = new Layout.One(3, 10);
    Layout.One none = new Layout.One(3, 0);
    return new Object[][] {
      {
        CollectiveCall.allReduce(8, DataType.F32, ReduceOp.AVG, true),
        1,
        "all_reduce of 8 f32 by avg"
      },
      {
        CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, true),
        3,
        "group of 3, first all_reduce of 8 f32 by sum"
      },
      {
        CollectiveCall.vector(
            Collective.ALL_REDUCE, 8, DataType.F32, new Reduction.PreMultiplied(2), 0, true),
        1,
        "all_reduce of 8 f32 by sum after multiplying"
      },
      {
        CollectiveCall.vector(
            Collective.BROADCAST, 8, DataType.F8E5M2, new Reduction.None(), 7, true),
        1,
        "broadcast of 8 f8e5m2, root 7"
      },
      {
        CollectiveCall.move(Collective.ALL_GATHER_V, new Layout.One(1, 2), DataType.I64, 0, false),
        1,
        "all_gather_v of i64"
      },
      {CollectiveCall.barrier(), 1, "barrier"},
      {
        CollectiveCall.exchange(new Layout.Pairwise(ten, none), DataType.U8),
        1,
        "send of 10 u8 to rank 3"
      },
      {
        CollectiveCall.exchange(new Layout.Pairwise(none, ten), DataType.U8),
        1,
        "receive of 10 u8 from rank 3"
      },
      {
        CollectiveCall.exchange(new Layout.Pairwise(ten, ten), DataType.U8),
        1,
        "message of 10 u8 to itself"
      },
      {
        CollectiveCall.exchange(new Layout.Pairwise(none, ten), DataType.U8),
        5,
        "exchange of 5 messages"
      },
    };
  }

  @Test(dataProvider = "calls")
  public void shouldNameCallsAsErrorsDo(CollectiveCall call, int calls, String text) {
    file.collectives().submitted(1, call, calls, 4);
    assertEquals(FlightLog.decode(bytes).collectives().get(0).call().toString(), text);
  }

  @Test
  public void shouldDropWhatComesLateOfAnOperationWhoseRecordAnotherHas() {
    FlightRing ring = file.messages();
    ring.submitted(1, CollectiveCall.barrier(), 1, 0);
    ring.submitted(1 + RECORDS, CollectiveCall.barrier(), 1, 0);
    ring.ended(1, true, 7);
    ring.reached(1, FlightStep.allEnded(3));
    FlightRecord only = FlightLog.decode(bytes).messages().get(0);
    assertEquals(only.sequence(), 1 + RECORDS);
    assertEquals(only.state(), FlightState.SUBMITTED);
    assertEquals(only.endedNs(), 0);
    assertEquals(only.step(), Optional.empty());
  }

  @Test
  public void shouldShowTheStepAtWhichTheFailureCame() {
    FlightRing ring = file.messages();
    ring.submitted(1, CollectiveCall.barrier(), 1, 0);
    ring.reached(1, FlightStep.word(2, 9, new Resource(Resource.Kind.SEND, 3)));
    file.failed(new AbortedException("a peer has died"));
    ring.reached(1, FlightStep.allEnded(9)); // the abort has ended what it waited for
    assertEquals(FlightLog.decode(bytes).messages().get(0).step().orElseThrow().number(), 2);
  }

  @Test
  public void shouldTellARecordThatWasBeingWritten() {
    file.collectives().submitted(1, CollectiveCall.barrier(), 1, 0);
    file.collectives().submitted(2, CollectiveCall.barrier(), 1, 0);
    long stamp = FlightFormat.get(bytes, FlightFormat.RINGS_AT);
    FlightFormat.set(bytes, FlightFormat.RINGS_AT, FlightFormat.writing(stamp));
    FlightLog log = FlightLog.decode(bytes);
    assertEquals(log.torn(), 1);
    assertEquals(log.collectives().get(0).sequence(), 2);
    assertEquals(log.collectives().size(), 1);
  }

  @Test
  public void shouldSayHowItEnded() {
    file.failed(new AbortedException("rank 2 wanted it, ü"));
    file.close();
    FlightEnd end = FlightLog.decode(bytes).end();
    assertEquals(end.kind(), FlightEnd.Kind.FAILED);
    assertEquals(end.cause(), "rank 2 wanted it, ü");
    assertTrue(end.atNs() <= System.nanoTime());
  }

  @Test
  public void shouldKeepACauseThatIsTooLongAsFarAsThereIsRoom() {
    file.failed(new AbortedException("x".repeat(100_000)));
    FlightLog log = FlightLog.decode(bytes);
    assertEquals(log.end().cause().length(), 2024);
    assertEquals(log.collectives(), List.of());
  }

  @Test
  public void shouldSayThatAFileIsOfALaterVersion() {
    bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(8, 7);
    String said =
        expectThrows(UnsupportedException.class, () -> FlightLog.decode(bytes)).getMessage();
    assertTrue(said.contains("version 7"), said);
  }

  @Test
  public void shouldSayWhatIsWrongWithAnythingElse() throws IOException {
    Path path = Files.createTempFile("not", FlightRecorder.SUFFIX);
    try {
      assertTrue(refusal(path).contains("no file of the flight recorder"));
      Files.writeString(path, "a note to myself");
      assertTrue(refusal(path).contains("no file of the flight recorder"));
      byte[] whole = new byte[bytes.capacity()];
      bytes.duplicate().clear().get(whole);
      for (int length : new int[] {8, 72, 4_095, 4_096, whole.length - 1}) {
        Files.write(path, Arrays.copyOf(whole, length));
        assertTrue(refusal(path).contains("cut off after " + length + " bytes"), refusal(path));
      }
      whole[100] ^= 1;
      Files.write(path, whole);
      assertTrue(refusal(path).contains("checksum"), refusal(path));
    } finally {
      Files.delete(path);
    }
  }

  private static String refusal(Path path) {
    return expectThrows(CorruptException.class, () -> FlightLog.read(path)).getMessage();
  }

  /** Damage to the records, and to the header under a checksum that fits. */
  @Test
  public void shouldSurviveAnyDamage() {
    Random random = new Random(TestSeed.drawn());
    for (long i = 1; i <= RECORDS; i++) {
      file.collectives().submitted(i, CollectiveCall.barrier(), 1, 0);
    }
    int refused = 0;
    int damaged = 0;
    for (int round = 0; round < 2_000; round++) {
      ByteBuffer copy = ByteBuffer.allocateDirect(bytes.capacity());
      copy.put(bytes.duplicate().clear());
      boolean inHeader = random.nextBoolean();
      int from = inHeader ? 16 : FlightFormat.END_AT;
      int to = inHeader ? 200 : copy.capacity();
      for (int i = random.nextInt(20); i >= 0; i--) {
        copy.put(from + random.nextInt(to - from), (byte) random.nextInt());
      }
      FlightHeader.seal(copy);
      try {
        damaged += FlightLog.decode(copy).damaged();
      } catch (CorruptException e) {
        refused++;
      }
    }
    assertTrue(refused > 100 && damaged > 100, refused + " refused, damaged: " + damaged);
  }

  /** Each record's fields follow from its number, and so show whether they belong together. */
  @Test(timeOut = 60_000)
  public void shouldNeverMixTwoStatesOfARecordThatIsWrittenMeanwhile() throws InterruptedException {
    FlightRing ring = file.collectives();
    AtomicBoolean enough = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (long i = 1; !enough.get(); i++) {
                ring.submitted(
                    i, CollectiveCall.allReduce(i, DataType.U8, ReduceOp.SUM, true), 1, 3 * i);
                ring.started(i, 5 * i);
                ring.reached(i, FlightStep.allEnded((int) i));
                ring.ended(i, true, 7 * i);
              }
            });
    writer.start();
    try {
      for (int read = 0; read < 2_000; ) {
        FlightLog log = FlightLog.decode(bytes);
        assertEquals(log.damaged(), 0);
        log.collectives().forEach(FlightLogTest::checkWhole);
        read += log.collectives().isEmpty() ? 0 : 1;
      }
    } finally {
      enough.set(true);
    }
    writer.join();
    assertEquals(FlightLog.decode(bytes).torn(), 0);
  }

  private static void checkWhole(FlightRecord record) {
    long n = record.sequence();
    boolean started = record.state() != FlightState.SUBMITTED;
    assertEquals(record.call().count(), n);
    assertEquals(record.sizeBytes(), 3 * n);
    assertEquals(record.startedNs(), started ? 5 * n : 0);
    record.step().ifPresent(step -> assertEquals(step.of(), Math.min(n, (1 << 20) - 1)));
    assertEquals(record.endedNs(), record.state() == FlightState.DONE ? 7 * n : 0);
  }
}
