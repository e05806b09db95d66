// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.io.BaseEncoding;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

/** Numbers worked out by hand from the RFCs, and the bytes of each packet. */
public class ProtocolVectorsTest {
  private static final ChannelId ID = new ChannelId(1, 7, 0x01020304);
  private final ByteBuffer buffer = PacketCodec.newBuffer(PacketCodec.MAX_CONTROL_BYTES);

  @Test
  public void shouldEstimateTheRoundTripAsRfc6298Section2Says() {
    RttEstimator rtt = new RttEstimator(0, 0);
    rtt.sample(800);
    assertEquals(List.of(rtt.srttNs(), rtt.rttvarNs(), rtt.rtoNs()), List.of(800L, 400L, 2400L));
    // RTTVAR = 3/4 * 400 + 1/4 * |800 - 1600| = 500 with the old SRTT; SRTT = 700 + 200 = 900.
    rtt.sample(1600);
    assertEquals(List.of(rtt.srttNs(), rtt.rttvarNs(), rtt.rtoNs()), List.of(900L, 500L, 2900L));
    // RTTVAR = 375 + 1/4 * |900 - 100| = 575; SRTT = 787.5 + 12.5 = 800.
    rtt.sample(100);
    assertEquals(List.of(rtt.srttNs(), rtt.rttvarNs(), rtt.rtoNs()), List.of(800L, 575L, 3100L));
    assertEquals(rtt.minNs(), 100);
  }

  @Test
  public void shouldDoubleTheTimeoutPerTransmissionUpToSixtyFourTimes() {
    RttEstimator rtt = new RttEstimator(200_000, 0);
    rtt.sample(20_000);
    assertEquals(rtt.rtoNs(1), 200_000);
    assertEquals(rtt.rtoNs(2), 400_000);
    assertEquals(rtt.rtoNs(7), 12_800_000);
    assertEquals(rtt.rtoNs(50), 12_800_000);
  }

  @Test
  public void shouldDeclareLostByTimeAsRfc8985Section6Says() {
    SendWindow window = windowOf(2);
    RttEstimator rtt = new RttEstimator(0, 0);
    rtt.sample(1000);
    LossDetector detector = new LossDetector(3);
    List<Long> lost = new ArrayList<>();
    detector.onDelivered(window.transmissionId(1));
    window.acknowledge(1);
    // Chunk 0 was sent at 0: due at 0 + latest RTT 1000 + reordering window min(1000/4, 1000).
    assertEquals(detector.detect(window, rtt, 1249, (psn, cause) -> lost.add(psn)), 1250);
    assertEquals(detector.detect(window, rtt, 1250, (psn, cause) -> lost.add(psn)), Moment.NEVER);
    assertEquals(lost, List.of(0L));
  }

  @Test
  public void shouldDeclareLostByCountAsRfc9002Section611Says() {
    SendWindow window = windowOf(4);
    RttEstimator rtt = new RttEstimator(0, 0);
    rtt.sample(1000);
    LossDetector detector = new LossDetector(3);
    List<Long> lost = new ArrayList<>();
    detector.onDelivered(window.transmissionId(2));
    window.acknowledge(2);
    detector.detect(window, rtt, 10, (psn, cause) -> lost.add(psn));
    assertEquals(lost, List.of());
    detector.onDelivered(window.transmissionId(3));
    window.acknowledge(3);
    detector.detect(window, rtt, 10, (psn, cause) -> lost.add(psn));
    assertEquals(lost, List.of(0L));
  }

  @Test
  public void shouldWidenTheReorderingWindowOnceARoundAndNoFurtherThanTheRoundTrip() {
    RttEstimator rtt = new RttEstimator(0, 0);
    rtt.sample(1000);
    LossDetector detector = new LossDetector(3);
    assertEquals(detector.reorderingWindowNs(rtt), 250);
    detector.onSpuriousResend(rtt, 0);
    detector.onSpuriousResend(rtt, 999);
    assertEquals(detector.reorderingWindowNs(rtt), 500);
    for (int round = 1; round < 9; round++) {
      detector.onSpuriousResend(rtt, round * 1000L);
    }
    assertEquals(detector.reorderingWindowNs(rtt), 1000);
    for (int recovery = 0; recovery < 16; recovery++) {
      detector.onRecovered();
    }
    assertEquals(detector.reorderingWindowNs(rtt), 250);
  }

  @Test
  public void shouldProbeAfterTwoRoundTripsAndTheAckDelayButNeverAfterTheTimeout() {
    RttEstimator rtt = new RttEstimator(0, 0);
    rtt.sample(1000);
    TailLossProbe probe = new TailLossProbe(100);
    assertEquals(probe.deadlineNs(rtt), Moment.NEVER);
    probe.arm(5000);
    assertEquals(probe.deadlineNs(rtt), 7100);
    assertEquals(rtt.rtoNs(), 3000);
    TailLossProbe patient = new TailLossProbe(10_000);
    patient.arm(5000);
    assertEquals(patient.deadlineNs(rtt), 8000);
  }

  /** RTO 3000: progress at 5900 would postpone it to 8900, and the next to later, for ever. */
  @Test
  public void shouldPostponeATimeoutOnceOnlyWhileOthersProgress() {
    RttEstimator rtt = new RttEstimator(0, 0);
    rtt.sample(1000);
    SendWindow window = new SendWindow(64, 0);
    window.append(null, 0);
    List<Long> lost = new ArrayList<>();
    RetransmissionTimeout timeout = new RetransmissionTimeout();
    timeout.expire(window, rtt, 5900, 5999, (psn, cause) -> lost.add(psn));
    assertEquals(lost, List.of());
    timeout.expire(window, rtt, 5900, 6000, (psn, cause) -> lost.add(psn));
    assertEquals(lost, List.of(0L));
  }

  @Test
  public void shouldDoubleTheWindowUntilAQueueShows() {
    DelayCongestionControl congestion = new DelayCongestionControl(4096, 4_000);
    int[] after = {32, 64, 128, 256};
    for (int round = 0; round < after.length; round++) {
      int window = congestion.windowChunks();
      congestion.onUse(window);
      congestion.onArrival(window);
      congestion.onAck(100_000, 0, window, round * 100_000L);
      assertEquals(congestion.windowChunks(), after[round]);
    }
    for (int round = 0; round < 3; round++) {
      congestion.onUse(256);
      congestion.onArrival(256);
      congestion.onAck(200_000, 0, 64, 400_000 + round * 200_000L);
    }
    // it falls to 0.6 of half, for half of what arrived in a round trip is in the queue
    assertTrue(congestion.windowChunks() < 256, "chunks " + congestion.windowChunks());
  }

  @Test
  public void shouldNotGrowAWindowThatIsNotUsed() {
    DelayCongestionControl congestion = new DelayCongestionControl(4096, 50_000);
    for (int round = 0; round < 1000; round++) {
      congestion.onUse(50);
      congestion.onArrival(50);
      congestion.onAck(10_000, 0, 50, round * 10_000L);
    }
    assertTrue(congestion.windowChunks() >= 100, "chunks " + congestion.windowChunks());
    assertTrue(congestion.windowChunks() <= 150, "chunks " + congestion.windowChunks());
  }

  @Test
  public void shouldWaitForHeldBackAcknowledgementsOnAPathThatNeverVaries() {
    RttEstimator rtt = new RttEstimator(200_000, 100_000);
    for (int i = 0; i < 100; i++) {
      rtt.sample(3_000_000);
    }
    assertTrue(rtt.rtoNs() >= 3_150_000, "timeout " + rtt.rtoNs());
  }

  @Test
  public void shouldForgetTheShortestRoundTripAfterTwoAges() {
    RttEstimator rtt = new RttEstimator(0, 0);
    rtt.sample(100, 0);
    rtt.sample(900, 10_000_000_000L);
    assertEquals(rtt.minNs(), 100);
    rtt.sample(800, 20_000_000_000L);
    assertEquals(rtt.minNs(), 800);
  }

  @Test
  public void shouldPackTheImmediateAsDrawn() {
    assertEquals(Immediate.pack(0xAB, 5, 0x123456), 0xABB23456);
    assertEquals(Immediate.flow(0xABB23456), 0xAB);
    assertEquals(Immediate.attempt(0xABB23456), 5);
    assertEquals(Immediate.psn(0xABB23456), 0x123456);
  }

  @Test
  public void shouldWriteDataAsDrawn() {
    assertBytes(
        PacketCodec.data(buffer, ID, 2, 0x1_0000_0005L, 256),
        "544f4d4201010702" + "0403020104010000" + "05000000");
  }

  @Test
  public void shouldWriteAnAckAsDrawn() {
    ReceiveWindow window = new ReceiveWindow(256, 0);
    AckScheduler acks = new AckScheduler(4, 100, 0);
    for (long psn : new long[] {0, 1, 3, 70}) {
      window.accept(psn);
      acks.onArrival(psn, 1, false, false, 1000);
    }
    for (int i = 0; i < 0x103; i++) {
      acks.onMark();
    }
    // cumulative 2, base 2: bit 1 is psn 3, bit 68 (bit 4 of the second word) is psn 70.
    assertBytes(
        PacketCodec.ack(buffer, ID, window, acks, 1016),
        "544f4d4201020700"
            + "0403020124000000"
            + "02000000"
            + "02000000"
            + "46000000"
            + "01010203"
            + "10000000"
            + "0200000000000000"
            + "1000000000000000");
  }

  /** A monotonic clock may show less than 0, and a negative delay is refused. */
  @Test
  public void shouldSayNoDelayInAnAckWhereNothingHasArrived() {
    AckScheduler acks = new AckScheduler(4, 100, 0);
    acks.onAsked();
    assertEquals(acks.heldBackNs(-1000), 0);
    acks.onArrival(0, 0, false, false, -1000);
    assertEquals(acks.heldBackNs(-984), 16);
    acks.onSent();
    assertEquals(acks.heldBackNs(-900), 0);
  }

  @Test
  public void shouldWriteAGrantAsDrawn() {
    Grant grant = new Grant();
    grant.number = 1;
    grant.firstPsn = 2;
    grant.generation = 3;
    grant.remoteKey = 4;
    grant.remoteAddress = 5;
    grant.sizeBytes = 70_000;
    grant.messageOffset = 7;
    grant.messageBytes = 80_000;
    grant.tag = 9;
    assertBytes(
        PacketCodec.grant(buffer, ID, grant, 6),
        "544f4d4201030706"
            + "0403020138000000"
            + "01000000020000000300000004000000"
            + "0500000000000000"
            + "7011010000000000"
            + "0700000000000000"
            + "8038010000000000"
            + "0900000000000000");
  }

  @Test
  public void shouldWriteAGrantAckAndTheBarePacketsAsDrawn() {
    assertBytes(
        PacketCodec.grantAck(buffer, ID, 1, 2, 3, 4),
        "544f4d4201040704" + "0403020110000000" + "01000000" + "0200000000000000" + "03000000");
    assertBytes(PacketCodec.bare(buffer, ID, PacketCodec.PING), "544f4d42010507000403020100000000");
    assertBytes(
        PacketCodec.bare(buffer, ID, PacketCodec.CLOSE), "544f4d42010607000403020100000000");
    assertBytes(
        PacketCodec.bare(buffer, ID, PacketCodec.CLOSE_ACK), "544f4d42010707000403020100000000");
    assertBytes(PacketCodec.reset(buffer, ID, 2), "544f4d4201080700040302010400000002000000");
    assertBytes(
        PacketCodec.request(buffer, ID, 0x1_0000_0005L),
        "544f4d4201090700040302010400000005000000");
  }

  @Test
  public void shouldExpectTheFirstPsnUntilItArrives() {
    ReceiveWindow window = new ReceiveWindow(64, 0);
    window.accept(1);
    assertFalse(window.contains(0));
    assertTrue(window.contains(1));
    assertEquals(window.next(), 0);
    assertEquals(window.end(), 2);
  }

  private static SendWindow windowOf(int chunks) {
    SendWindow window = new SendWindow(16, 0);
    for (int i = 0; i < chunks; i++) {
      window.append(null, i);
    }
    return window;
  }

  private static void assertBytes(ByteBuffer packet, String hex) {
    byte[] bytes = new byte[packet.remaining()];
    packet.get(bytes);
    assertEquals(BaseEncoding.base16().lowerCase().encode(bytes), hex);
  }
}
