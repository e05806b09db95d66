// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** A sender that writes into slots, and hears nothing. */
public class RepeatPermitTest {
  private static final ChannelId ID = new ChannelId(1, 0, 7);
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.PLACES_REMOTELY, 1024);
  private static final int CHUNKS = 3;
  private static final long SECOND_NS = 1_000_000_000;
  private static final long NEWS_NS = SECOND_NS / 2;
  private static final int MANY = SackCodec.MAX_WORDS * SackCodec.WORD_BITS;

  private final Count count = new Count();
  private SimulatedMemory memory;
  private Notes wire;
  private ReliableChannel channel;

  @BeforeMethod
  public void make() {
    memory = new SimulatedMemory(CHUNKS * 1024);
    wire = new Notes();
    channel = channel(CONFIG);
  }

  @AfterMethod
  public void free() {
    memory.close();
  }

  private ReliableChannel channel(ProtocolConfig config) {
    return channel(config, wire);
  }

  private static ReliableChannel channel(ProtocolConfig config, PacketSender wire) {
    SlabPool pool = new SlabPool(1, CONFIG.segmentBytes(), 0, 0, 0, slot -> 1);
    return new ReliableChannel(ID, config, wire, pool, 0);
  }

  @Test
  public void shouldAllowARepeatForHalfAPacketsLifeAfterTheFirstTransmission() {
    RepeatPermit permit = new RepeatPermit(Shape.PLACES_REMOTELY);
    assertTrue(permit.allows(0, 100, 100 + NEWS_NS));
    assertFalse(permit.allows(0, 100, 101 + NEWS_NS));
  }

  @Test
  public void shouldAllowWhatThePeerHasShownToBeMissing() {
    RepeatPermit permit = new RepeatPermit(Shape.PLACES_REMOTELY);
    permit.onLooked(2 * SECOND_NS);
    permit.onAck(10, 20, SackCodec.MAX_WORDS, 2 * SECOND_NS);
    long nowNs = 2 * SECOND_NS + NEWS_NS;
    assertTrue(permit.allows(10, 0, nowNs), "it waits for this one");
    assertFalse(permit.allows(11, 0, nowNs), "before what it shows");
    assertTrue(permit.allows(20, 0, nowNs) && permit.allows(19 + MANY, 0, nowNs), "shown");
    assertFalse(permit.allows(20 + MANY, 0, nowNs), "behind what it shows");
    assertFalse(permit.allows(10, 0, nowNs + 1), "that is old");
    permit.onAck(10, 20, SackCodec.MAX_WORDS - 1, 2 * SECOND_NS);
    assertTrue(permit.allows(20 + MANY, 0, nowNs), "it shows all that it has");
  }

  /** What is found after a pause may have waited for as long. */
  @Test
  public void shouldBelieveNewsToBeAsOldAsTheLookBefore() {
    RepeatPermit permit = new RepeatPermit(Shape.PLACES_REMOTELY);
    permit.onLooked(2 * SECOND_NS);
    permit.onPause(SECOND_NS);
    permit.onAck(0, 0, 0, 3 * SECOND_NS);
    assertTrue(permit.allows(0, 0, SECOND_NS + NEWS_NS));
    assertFalse(permit.allows(0, 0, SECOND_NS + NEWS_NS + 1));
    permit.onLooked(3 * SECOND_NS);
    permit.onAck(0, 0, 0, 3 * SECOND_NS);
    assertTrue(permit.allows(0, 0, 3 * SECOND_NS + NEWS_NS));
  }

  @Test
  public void shouldSayOfEachRepeatUntilWhenItMayLeave() {
    begin();
    runUntil(SECOND_NS);
    assertFalse(wire.untilNs.isEmpty(), "nothing was repeated");
    assertTrue(wire.untilNs.stream().allMatch(untilNs -> untilNs == NEWS_NS), "" + wire.untilNs);
    wire.untilNs.clear();
    hear(lackingAll(), SECOND_NS);
    channel.poll(SECOND_NS, count);
    assertEquals(wire.untilNs.size(), CHUNKS);
    long untilNs = wire.untilNs.get(0);
    assertTrue(untilNs > SECOND_NS && untilNs <= SECOND_NS + NEWS_NS, "until " + untilNs);
  }

  /** As most of the wires here do. */
  @Test
  public void shouldSayItThroughAWireThatPassesEverythingOn() {
    channel = channel(CONFIG, new PacketTamper(wire));
    begin();
    runUntil(SECOND_NS);
    assertFalse(wire.untilNs.isEmpty(), "nothing was repeated, or its time is lost");
    assertTrue(wire.untilNs.stream().allMatch(untilNs -> untilNs == NEWS_NS), "" + wire.untilNs);
  }

  @Test
  public void shouldAskInsteadOfWritingAgainWhileNothingIsHeard() {
    begin();
    runUntil(3 * SECOND_NS);
    long lastNs = wire.writtenNs.get(wire.writtenNs.size() - 1);
    assertTrue(wire.writtenNs.size() > CHUNKS, "nothing was repeated");
    assertTrue(lastNs <= NEWS_NS, "the last write was at " + lastNs);
    long asked = wire.askedNs.stream().filter(atNs -> atNs > NEWS_NS).count();
    assertTrue(asked >= 5 && asked <= 60, asked + " questions");

    int written = wire.writtenNs.size();
    hear(lackingAll(), 3 * SECOND_NS);
    channel.poll(3 * SECOND_NS, count);
    assertEquals(wire.writtenNs.size(), written + CHUNKS, "all are missing, and are sent again");
  }

  @Test
  public void shouldSendNothingNewWhereNobodyIsKnownToListen() {
    begin();
    runUntil(SECOND_NS);
    int written = wire.writtenNs.size();
    channel.send(0, memory, 0, 1024);
    hear(grant(1, 1024), SECOND_NS);
    channel.poll(SECOND_NS, count);
    assertEquals(wire.writtenNs.size(), written);
    assertTrue(channel.nextWakeNs() > SECOND_NS, "it does not wait");
  }

  @Test
  public void shouldAskInsteadOfProbingWhenThisProcessHasNotRun() {
    begin();
    channel.onPause(SECOND_NS, SECOND_NS);
    channel.poll(SECOND_NS, count);
    assertEquals(wire.askedNs.size(), 0);
    channel.poll(SECOND_NS + 2_500_000, count); // the probe is due, and no timeout
    assertEquals(wire.writtenNs.size(), CHUNKS);
    assertEquals(wire.askedNs.size(), 1);
  }

  @Test
  public void shouldProbeAtOnceWhenTheAnswerAllowsIt() {
    begin();
    channel.onPause(SECOND_NS, SECOND_NS);
    channel.poll(SECOND_NS, count);
    long nowNs = SECOND_NS + 2_500_000;
    channel.poll(nowNs, count); // a question goes instead of the probe
    assertTrue(channel.nextWakeNs() > nowNs, "it does not wait");
    channel.poll(++nowNs, count);
    assertEquals(wire.askedNs.size(), 1);
    assertTrue(channel.nextWakeNs() > nowNs, "it does not wait for the answer");
    hear(lackingAll(), ++nowNs);
    channel.poll(nowNs, count);
    assertEquals(wire.writtenNs.size(), CHUNKS + 1);
  }

  @Test
  public void shouldAskAgainInsteadOfProbingWhenNothingAnswers() {
    begin();
    channel.onPause(SECOND_NS, SECOND_NS);
    channel.poll(SECOND_NS, count);
    channel.poll(SECOND_NS + 2_500_000, count);
    long againNs = channel.nextWakeNs();
    while (wire.askedNs.size() == 1) {
      assertTrue(againNs < SECOND_NS + 10_000_000, "not asked again");
      channel.poll(againNs, count);
      againNs = channel.nextWakeNs();
    }
    assertEquals(wire.writtenNs.size(), CHUNKS);
  }

  @Test
  public void shouldSayThatNothingWasRepeatedWhereThisProcessRunsTooSeldom() {
    begin();
    String text = hearUntilItGivesUp(NEWS_NS + 100_000_000);
    String why =
        "nothing was repeated since 10\\d\\d\\d ms, as this process looked for answers less than"
            + " twice a second";
    assertTrue(text.matches(".*" + why), text);
    assertTrue(channel.counters().repeatsWithheld > 0, "not counted");
  }

  @Test
  public void shouldNotBlameItselfWhereItRunsOften() {
    begin();
    String text = hearUntilItGivesUp(NEWS_NS - 100_000_000);
    assertTrue(text.endsWith("(path MTU)"), text);
  }

  /** Looks once in {@code roundNs}, and finds that all is missing each time. */
  private String hearUntilItGivesUp(long roundNs) {
    return expectThrows(
            DeadlineExceededException.class,
            () -> {
              for (long nowNs = roundNs; nowNs < 20 * SECOND_NS; nowNs += roundNs) {
                hear(lackingAll(), nowNs);
                channel.poll(nowNs, count);
              }
            })
        .getMessage();
  }

  @Test
  public void shouldAskAtOnceAgainWhenItsQuestionFoundNoRoom() {
    begin();
    runUntil(NEWS_NS);
    wire.isFull = true;
    long nowNs = NEWS_NS + 200_000_000; // all timeouts are over
    channel.poll(nowNs, count);
    assertTrue(channel.nextWakeNs() <= nowNs, "it waits");
    wire.isFull = false;
    int asked = wire.askedNs.size();
    channel.poll(nowNs, count);
    assertTrue(wire.askedNs.size() > asked, "not asked");
    assertTrue(channel.nextWakeNs() > nowNs, "it does not wait");
  }

  /** The port's rounds tell of pauses, and a channel's last may have come late in one. */
  @Test
  public void shouldNotBelieveWhatHasWaitedWhileThisProcessStoodStill() {
    begin();
    runUntil(SECOND_NS);
    int written = wire.writtenNs.size();
    channel.onPause(NEWS_NS + 1, SECOND_NS);
    hear(lackingAll(), SECOND_NS);
    channel.poll(SECOND_NS, count);
    assertEquals(wire.writtenNs.size(), written);

    hear(lackingAll(), SECOND_NS + 1);
    channel.poll(SECOND_NS + 1, count);
    assertEquals(wire.writtenNs.size(), written + CHUNKS);
  }

  /** Nothing of it has left, so no path has lost it. */
  @Test
  public void shouldBlameNoPathForARepeatThatTheWireHadForTooLong() {
    begin();
    long nowNs = 0;
    while (wire.again.isEmpty()) {
      nowNs = Math.max(nowNs + 1000, channel.nextWakeNs());
      assertTrue(nowNs < NEWS_NS, "nothing was repeated");
      channel.poll(nowNs, count);
    }
    assertEquals(wire.again.size(), 1, "a probe");
    long window = channel.windowChunks();
    long sent = channel.counters().chunksSent;
    long repeats = channel.counters().resent();

    channel.onTooLate(wire.again.get(0), 1024);
    assertEquals(channel.counters().repeatsTooLate, 1);
    assertEquals(channel.counters().chunksSent, sent - 1);
    assertEquals(channel.counters().payloadBytesRepeated, 0);
    assertTrue(channel.nextWakeNs() <= nowNs, "it waits");
    channel.poll(nowNs, count);
    assertEquals(wire.again.size(), 2, "not sent again");
    assertEquals(Immediate.psn(wire.again.get(1)), Immediate.psn(wire.again.get(0)));
    assertEquals(channel.windowChunks(), window);
    assertEquals(channel.counters().resent(), repeats);

    channel.onTooLate(wire.again.get(0), 1024); // of a transmission before the latest
    channel.poll(nowNs, count);
    assertEquals(wire.again.size(), 2);
  }

  @Test
  public void shouldRepeatDatagramsForAsLongAsItHopes() {
    channel = channel(ProtocolConfig.of(Shape.DATAGRAM, 1024));
    begin();
    runUntil(3 * SECOND_NS);
    long lastNs = wire.writtenNs.get(wire.writtenNs.size() - 1);
    assertTrue(lastNs > 2 * SECOND_NS, "the last was at " + lastNs);
  }

  /** A message goes out at 0. */
  private void begin() {
    channel.send(0, memory, 0, CHUNKS * 1024);
    hear(grant(0, CHUNKS * 1024), 0);
    channel.poll(0, count);
    assertEquals(wire.writtenNs.size(), CHUNKS);
  }

  private void runUntil(long untilNs) {
    for (long nowNs = 0; nowNs < untilNs; nowNs = Math.max(nowNs + 1000, channel.nextWakeNs())) {
      wire.nowNs = nowNs;
      channel.poll(nowNs, count);
    }
  }

  private static ByteBuffer grant(int number, int sizeBytes) {
    Grant grant = new Grant();
    grant.number = number;
    grant.firstPsn = (long) number * CHUNKS;
    grant.sizeBytes = sizeBytes;
    grant.messageBytes = sizeBytes;
    return PacketCodec.grant(PacketCodec.newBuffer(128), ID, grant, 0);
  }

  private static ByteBuffer lackingAll() {
    ReceiveWindow nothing = new ReceiveWindow(64, 0);
    AckScheduler acks = new AckScheduler(4, 100, 0);
    return PacketCodec.ack(PacketCodec.newBuffer(128), ID, nothing, acks, 0);
  }

  private void hear(ByteBuffer packet, long nowNs) {
    channel.onPacket(packet, 0, nowNs);
  }

  /** A wire that notes when payload and questions are sent. */
  private static final class Notes extends Sink {
    private final List<Long> writtenNs = new ArrayList<>();
    private final List<Long> askedNs = new ArrayList<>();
    private final List<Long> untilNs = new ArrayList<>();
    private final List<Integer> again = new ArrayList<>();
    private long nowNs;
    private boolean isFull;

    @Override
    public boolean sendControl(ByteBuffer packet) {
      if (!isFull && PacketTamper.type(packet) == PacketCodec.PING) {
        askedNs.add(nowNs);
      }
      return !isFull;
    }

    @Override
    public boolean sendDatagram(
        ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
      writtenNs.add(nowNs);
      return true;
    }

    @Override
    public boolean sendAgain(
        int immediate,
        int key,
        long address,
        LocalMemory memory,
        long offset,
        int size,
        long id,
        long latestNs) {
      writtenNs.add(nowNs);
      if (latestNs != ANY_TIME) { // as it is of what is sent for the first time
        untilNs.add(latestNs);
        again.add(immediate);
      }
      return true;
    }
  }
}
