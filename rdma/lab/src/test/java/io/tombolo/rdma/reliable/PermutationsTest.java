// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;

import io.tombolo.rdma.reliable.ReceiveWindow.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.testng.annotations.Test;

/**
 * Every order in which up to six chunks can arrive, with up to two lost and up to one repeated,
 * against an oracle that only knows sets.
 */
public class PermutationsTest {
  private static final ChannelId ID = new ChannelId(1, 0, 0);
  private final ByteBuffer buffer = PacketCodec.newBuffer(PacketCodec.MAX_CONTROL_BYTES);
  private int cases;

  @Test
  public void shouldAgreeWithTheOracleOnEveryOrder() {
    for (int chunks = 1; chunks <= 6; chunks++) {
      for (int lost = 0; lost < 1 << chunks; lost++) {
        if (Integer.bitCount(lost) <= 2) {
          for (int repeated = -1; repeated < chunks; repeated++) {
            permute(chunks, arrivals(chunks, lost, repeated), new ArrayList<>());
          }
        }
      }
    }
    System.out.println(cases + " orders of arrival agree with the oracle");
  }

  private static List<Integer> arrivals(int chunks, int lost, int repeated) {
    List<Integer> arrivals = new ArrayList<>();
    for (int psn = 0; psn < chunks; psn++) {
      if ((lost >> psn & 1) == 0) {
        arrivals.add(psn);
        if (psn == repeated) {
          arrivals.add(psn);
        }
      }
    }
    return arrivals;
  }

  private void permute(int chunks, List<Integer> left, List<Integer> order) {
    if (left.isEmpty()) {
      check(chunks, order);
      return;
    }
    for (int i = 0; i < left.size(); i++) {
      if (left.indexOf(left.get(i)) == i) {
        List<Integer> rest = new ArrayList<>(left);
        order.add(rest.remove(i));
        permute(chunks, rest, order);
        order.remove(order.size() - 1);
      }
    }
  }

  /**
   * Arrivals go through the receive window, its acknowledgement through the wire, to the sender.
   */
  private void check(int chunks, List<Integer> order) {
    cases++;
    ReceiveWindow receiver = new ReceiveWindow(64, 0);
    AckScheduler acks = new AckScheduler(4, 100, 0);
    Set<Long> oracle = new HashSet<>();
    for (int arrival : order) {
      long psn = arrival;
      Verdict verdict = receiver.classify(psn);
      assertEquals(verdict, oracle.add(psn) ? Verdict.NEW : Verdict.DUPLICATE);
      if (verdict == Verdict.NEW) {
        receiver.accept(psn);
      }
      acks.onArrival(psn, 0, verdict == Verdict.DUPLICATE, false, 0);
      assertEquals(acknowledged(chunks, receiver, acks), oracle, order + " after " + psn);
    }
  }

  private Set<Long> acknowledged(int chunks, ReceiveWindow receiver, AckScheduler acks) {
    ByteBuffer ack = PacketCodec.ack(buffer, ID, receiver, acks, 0);
    int head = PacketCodec.HEADER_BYTES;
    Set<Long> known = new HashSet<>();
    for (long psn = 0; psn < ack.getInt(head); psn++) {
      known.add(psn);
    }
    SackCodec.decode(ack.getInt(head + 4), ack.get(head + 14), ack, head + 20, known::add);
    SendWindow sender = new SendWindow(16, 0);
    for (int psn = 0; psn < chunks; psn++) {
      sender.append(null, 0);
    }
    known.forEach(sender::acknowledge);
    Set<Long> gone = new HashSet<>();
    for (long psn = 0; psn < chunks; psn++) {
      if (!sender.isOpen(psn)) {
        gone.add(psn);
      }
    }
    return gone;
  }
}
