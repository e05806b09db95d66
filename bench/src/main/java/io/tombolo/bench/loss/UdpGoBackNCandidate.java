// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.base.Ticker;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.faulty.FaultyWire;
import io.tombolo.rdma.lab.gobackn.GoBackNReceiver;
import io.tombolo.rdma.lab.gobackn.GoBackNSender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Go-back-N over UDP on this host's loopback, behind the same faulty wires. */
final class UdpGoBackNCandidate implements Candidate {
  private static final Duration BUDGET = Duration.ofMinutes(10);
  private static final int ANSWER_BYTES = 16;

  private final String name;

  UdpGoBackNCandidate(String name) {
    this.name = name;
  }

  @Override
  public LossResult run(Trial trial) {
    GoBackNTuning tuning = GoBackNTuning.of(trial);
    int room = trial.packetBytes() + ANSWER_BYTES;
    try (DatagramWire low = new DatagramWire(room);
        DatagramWire high = new DatagramWire(room)) {
      low.towards(high);
      high.towards(low);
      try (FaultyWire out = faulty(low, trial.faults(), room);
          FaultyWire back = faulty(high, trial.faults(), room)) {
        return converse(trial, tuning, low, high, out, back);
      }
    } catch (IOException e) {
      throw new UnavailableException(
          "go-back-n cannot use this host's loopback: " + e.getMessage() + "; try --fabric sim", e);
    }
  }

  private static FaultyWire faulty(DatagramWire wire, Faults faults, int room) {
    return new FaultyWire(wire, faults, room, Ticker.systemTicker(), cookie -> {});
  }

  private LossResult converse(
      Trial trial,
      GoBackNTuning tuning,
      DatagramWire low,
      DatagramWire high,
      FaultyWire out,
      FaultyWire back)
      throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(trial.packetBytes() + ANSWER_BYTES);
    ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
    long startNs = System.nanoTime();
    GoBackNSender sender =
        new GoBackNSender(
            psn -> out.sendControl(chunk.clear().putLong(0, psn)),
            trial.packets(),
            tuning.windowChunks(),
            tuning.timeoutNs(),
            startNs);
    GoBackNReceiver receiver =
        new GoBackNReceiver(
            (upTo, complaint) ->
                back.sendControl(
                    answer.clear().putLong(0, upTo).putLong(Long.BYTES, complaint ? 1 : 0)));
    while (!sender.isDone()) {
      long nowNs = System.nanoTime();
      sender.poll(nowNs);
      out.progress();
      high.receive(packet -> receiver.onChunk(packet.getLong(0)));
      back.progress();
      low.receive(
          packet -> sender.onAnswer(packet.getLong(0), packet.getLong(Long.BYTES) != 0, nowNs));
      if (nowNs - startNs > BUDGET.toNanos()) {
        throw new DeadlineExceededException(
            "go-back-n over udp was not done within " + BUDGET + "; carry less, or lose less");
      }
    }
    long wireBytes = out.counters().bytesOffered + back.counters().bytesOffered;
    return tuning.outcome(
        UdpCandidate.FABRIC, name, sender, wireBytes, System.nanoTime() - startNs);
  }
}
