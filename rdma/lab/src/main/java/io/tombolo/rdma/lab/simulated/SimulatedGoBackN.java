// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.rdma.lab.gobackn.GoBackNReceiver;
import io.tombolo.rdma.lab.gobackn.GoBackNSender;

/** Go-back-N on a simulated link. */
public final class SimulatedGoBackN {
  private static final int FRAME_BYTES = 74;
  private static final int ANSWER_BYTES = 16;

  private final SimulatedNetwork network;
  private final int chunkBytes;
  private final long timeoutNs;
  private final GoBackNSender sender;
  private final GoBackNReceiver receiver;

  private SimulatedGoBackN(
      SimulatedNetwork network, int chunkBytes, int windowChunks, long timeoutNs, long chunks) {
    this.network = network;
    this.chunkBytes = chunkBytes;
    this.timeoutNs = timeoutNs;
    receiver = new GoBackNReceiver(this::answer);
    sender = new GoBackNSender(this::send, chunks, windowChunks, timeoutNs, network.nowNs());
  }

  /**
   * Carries {@code chunks} chunks over {@code network}, from node 0 to node 1.
   *
   * @param windowChunks most that are sent and not acknowledged
   * @param timeoutNs silence after which all of them are sent again
   * @return the sender, for its counters
   */
  public static GoBackNSender run(
      SimulatedNetwork network, int chunkBytes, int windowChunks, long timeoutNs, long chunks) {
    SimulatedGoBackN run =
        new SimulatedGoBackN(network, chunkBytes, windowChunks, timeoutNs, chunks);
    run.watch();
    while (!run.sender.isDone() && network.step()) {}
    return run.sender;
  }

  private boolean send(long psn) {
    long leavesNs = network.departureNs(0, 1, chunkBytes + FRAME_BYTES);
    if (leavesNs >= 0) {
      network.at(leavesNs, () -> network.carry(0, 1, () -> receiver.onChunk(psn)));
    }
    return true;
  }

  private void answer(long upTo, boolean complaint) {
    long leavesNs = network.departureNs(1, 0, ANSWER_BYTES + FRAME_BYTES);
    if (leavesNs >= 0) {
      network.at(leavesNs, () -> network.carry(1, 0, () -> onAnswer(upTo, complaint)));
    }
  }

  private void onAnswer(long upTo, boolean complaint) {
    sender.onAnswer(upTo, complaint, network.nowNs());
    sender.poll(network.nowNs());
  }

  private void watch() {
    sender.poll(network.nowNs());
    network.at(network.nowNs() + timeoutNs / 4, this::watch);
  }
}
