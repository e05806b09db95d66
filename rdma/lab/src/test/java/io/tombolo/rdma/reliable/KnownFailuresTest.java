// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.testng.annotations.Test;

/** What other implementations got wrong, one test each, in the order of {@link Mutants}. */
public class KnownFailuresTest {
  private static final ChannelId ID = new ChannelId(1, 7, 42);

  @Test
  public void shouldKeepExactlyTheLostChunkWhenTheSackNamesTheOthers() {
    ReceiveWindow receiver = new ReceiveWindow(64, 0);
    AckScheduler acks = new AckScheduler(4, 100, 0);
    for (long psn : new long[] {0, 1, 2, 3, 4, 6, 7, 8, 9}) {
      receiver.accept(psn);
      acks.onArrival(psn, 0, false, false, 0);
    }
    ByteBuffer ack = PacketCodec.ack(PacketCodec.newBuffer(72), ID, receiver, acks, 0);
    SendWindow sender = windowOf(10);
    List<Long> arrived = new ArrayList<>();
    SackCodec.decode(ack.getInt(20), ack.get(30), ack, 36, arrived::add);
    arrived.forEach(sender::acknowledge);
    assertEquals(arrived, List.of(6L, 7L, 8L, 9L));
    assertTrue(sender.isOpen(5));
  }

  @Test
  public void shouldExpectSixWhenTwoFillsTheHoleAfterZeroOneThreeFourFive() {
    ReceiveWindow receiver = new ReceiveWindow(64, 0);
    for (long psn : new long[] {0, 1, 3, 4, 5, 2}) {
      receiver.accept(psn);
    }
    assertEquals(receiver.next(), 6);
  }

  @Test
  public void shouldMeasureTheRoundTripWithOneClockWhenClocksAreHoursApart() {
    FaultPlan apart = FaultPlan.calm(10_000).toBuilder().clocks(7_200_000_000_000L, 100).build();
    try (SeededConversation conversation =
        new SeededConversation(ScriptedPair.script(Shape.DATAGRAM, apart, 50_000), new Mutant())) {
      assertNull(conversation.play());
      long rttNs = conversation.channel(0).smoothedRttNs();
      assertTrue(rttNs >= 19_000 && rttNs < 200_000, "20 µs were taken for " + rttNs + " ns");
    }
  }

  @Test
  public void shouldRefuseAndCountWhenTheWindowOrTheQueueIsFull() {
    SendWindow window = windowOf(16);
    assertTrue(window.isFull(1 << 14));
    assertThrows(IllegalStateException.class, () -> window.append(null, 0));
    assertTrue(window.isOpen(0));
    assertEquals(window.oldest(), 0);
  }

  @Test
  public void shouldDeliverSeventyThousandBytesAsSeventyThousand() {
    assertNull(SeededConversation.play(ScriptedPair.calm(Shape.DATAGRAM, 70_000), new Mutant()));
    assertNull(
        SeededConversation.play(ScriptedPair.calm(Shape.PLACES_REMOTELY, 70_000), new Mutant()));
  }

  @Test
  public void shouldPlaceTheResentPayloadWhenEveryFirstTransmissionIsLost() {
    for (Shape shape : Shape.values()) {
      assertNull(
          SeededConversation.play(
              ScriptedPair.calm(shape, 30_000), dropping((psn, attempt) -> attempt == 0)));
    }
  }

  @Test
  public void shouldStayWithinTheSlabWhenFarMoreIsExpected() {
    Script script = ScriptedPair.calm(Shape.PLACES_REMOTELY, 200_000, 200_000);
    try (SeededConversation conversation = new SeededConversation(script, new Mutant())) {
      assertNull(conversation.play());
      assertEquals(conversation.slotsInUse(1), 0);
    }
  }

  @Test
  public void shouldCountEveryLocalCompletionWhileResending() {
    FaultPlan lossy = FaultPlan.calm(ScriptedPair.DELAY_NS).withLoss(0.2);
    assertNull(
        SeededConversation.play(
            ScriptedPair.script(Shape.DATAGRAM, lossy, 70_000, 70_000), new Mutant()));
  }

  @Test
  public void shouldCompareSequenceNumbersAcrossEveryWrap() {
    PsnSpace space = new PsnSpace();
    for (int bits : new int[] {PsnSpace.IMMEDIATE_BITS, PsnSpace.PACKET_BITS}) {
      long wrap = 1L << bits;
      for (long psn = wrap - 5; psn < wrap + 5; psn++) {
        int wire = (int) (psn & (wrap - 1));
        assertEquals(space.unwrap(wrap - 3, wire, bits), psn);
        assertEquals(space.unwrap(wrap + 3, wire, bits), psn);
      }
    }
  }

  @Test
  public void shouldNotBackOffWhenNothingWasSent() {
    SendWindow window = windowOf(1);
    RttEstimator rtt = new RttEstimator(1000, 0);
    rtt.sample(1000);
    RetransmissionTimeout timeout = new RetransmissionTimeout();
    List<Long> lost = new ArrayList<>();
    for (int i = 1; i < 10; i++) {
      timeout.expire(window, rtt, 0, i * 100_000L, (psn, cause) -> lost.add(psn));
    }
    assertEquals(lost, List.of(0L));
    assertEquals(window.transmissions(0), 1);
  }

  @Test
  public void shouldRecoverWhenTheLastChunkIsLost() {
    Script script = ScriptedPair.calm(Shape.DATAGRAM, 10 * 1024);
    long calmNs = duration(script, new Mutant());
    long lossyNs = duration(script, dropping((psn, attempt) -> psn == 9 && attempt == 0));
    long dutyCycleNs = 1_000;
    long boundNs = 3 * 2 * ScriptedPair.DELAY_NS + 200_000 + dutyCycleNs;
    assertTrue(lossyNs - calmNs <= boundNs, "repaired after " + (lossyNs - calmNs) + " ns");
  }

  @Test
  public void shouldKeepTheMemoryUntilItIsAcknowledgedAndNoPostCanReadIt() {
    OutgoingMessage message = new OutgoingMessage();
    message.set(0, 1, null, 0, 1024, 1);
    message.openPosts = 1;
    assertFalse(message.isReleasable());
    message.openPosts = 0;
    assertFalse(message.isReleasable());
    message.openPosts = 1;
    message.unackedChunks = 0;
    assertFalse(message.isReleasable());
    message.openPosts = 0;
    assertTrue(message.isReleasable());
  }

  @Test
  public void shouldNotTakeTheFirstFragmentForTheWholeMessage() {
    SendWindow window = windowOf(4);
    window.acknowledge(0);
    assertEquals(window.oldest(), 1);
    assertTrue(window.isOpen(1) && window.isOpen(2) && window.isOpen(3));
  }

  @Test
  public void shouldRepeatAClearToSendUntilItIsAnswered() {
    Set<Integer> lost = new HashSet<>();
    Mutant losesEachOnce =
        wire(
            endpoint ->
                new PacketTamper(endpoint) {
                  @Override
                  public boolean sendControl(ByteBuffer packet) {
                    boolean isGrant = type(packet) == PacketCodec.GRANT;
                    return (isGrant && lost.add(packet.getInt(PacketCodec.HEADER_BYTES)))
                        || super.sendControl(packet);
                  }
                });
    assertNull(SeededConversation.play(ScriptedPair.calm(Shape.DATAGRAM, 70_000), losesEachOnce));
    assertFalse(lost.isEmpty());
  }

  /** First transmissions are held back until long after their slots serve other messages. */
  @Test
  public void shouldFenceALateOriginalOutOfASlotThatServesAnotherMessage() {
    FaultPlan late =
        FaultPlan.calm(10_000).toBuilder().loss(0.02).replay(0.3).reorder(0.3, 3_000_000).build();
    int[] sizes = new int[40];
    Arrays.fill(sizes, 16 * 1024);
    try (SeededConversation conversation =
        new SeededConversation(
            ScriptedPair.script(Shape.PLACES_REMOTELY, late, sizes), new Mutant())) {
      assertNull(conversation.play());
      assertTrue(conversation.counters(1).fencedWrites > 0, "no write came late");
    }
  }

  private static SendWindow windowOf(int chunks) {
    SendWindow window = new SendWindow(16, 0);
    for (int i = 0; i < chunks; i++) {
      window.append(null, 0);
    }
    return window;
  }

  private static long duration(Script script, Mutant mutant) {
    try (SeededConversation conversation = new SeededConversation(script, mutant)) {
      assertNull(conversation.play());
      return conversation.doneNs();
    }
  }

  private interface Drop {
    boolean drops(long psn, int attempt);
  }

  private interface WireOver {
    PacketSender over(SimulatedEndpoint endpoint);
  }

  private static Mutant wire(WireOver over) {
    return new Mutant() {
      @Override
      PacketSender wire(SimulatedEndpoint endpoint) {
        return over.over(endpoint);
      }
    };
  }

  /** A link that loses chosen transmissions: their payload goes out under a foreign header. */
  private static Mutant dropping(Drop drop) {
    return wire(
        endpoint ->
            new PacketTamper(endpoint) {
              @Override
              public boolean sendDatagram(
                  ByteBuffer header, LocalMemory memory, long offset, int size, long cookie) {
                if (drop.drops(header.getInt(PacketCodec.HEADER_BYTES), header.get(7))) {
                  header.putInt(0, 0);
                }
                return super.sendDatagram(header, memory, offset, size, cookie);
              }

              @Override
              public boolean sendAgain(
                  int immediate,
                  int key,
                  long address,
                  LocalMemory memory,
                  long offset,
                  int size,
                  long cookie,
                  long untilNs) {
                boolean drops = drop.drops(Immediate.psn(immediate), Immediate.attempt(immediate));
                return super.sendAgain(
                    immediate, drops ? -2 : key, address, memory, offset, size, cookie, untilNs);
              }
            });
  }
}
