package io.tombolo.rdma.simulated;

/**
 * The competitor: what reliable connections of RDMA hardware do. The receiver takes packets in
 * order only and complains once per gap; the sender then sends everything from there on again.
 */
public final class GoBackN {
  private static final int FRAME_BYTES = 74;

  private final SimulatedNetwork network;
  private final int chunkBytes;
  private final int windowChunks;
  private final long timeoutNs;
  private long oldest;
  private long next;
  private long expected;
  private long progressNs;
  private boolean complained;

  private GoBackN(FaultPlan plan, int chunkBytes, int windowChunks, long timeoutNs) {
    network = new SimulatedNetwork(42, plan, 2);
    this.chunkBytes = chunkBytes;
    this.windowChunks = windowChunks;
    this.timeoutNs = timeoutNs;
  }

  /** Payload bytes per second of {@code chunks} chunks. */
  public static double goodput(
      FaultPlan plan, int chunkBytes, int windowChunks, long timeoutNs, int chunks) {
    GoBackN run = new GoBackN(plan, chunkBytes, windowChunks, timeoutNs);
    run.send();
    run.watch();
    while (run.expected < chunks && run.network.step()) {}
    return run.expected * 1e9 * chunkBytes / run.network.nowNs();
  }

  private void send() {
    while (next < oldest + windowChunks) {
      long psn = next++;
      long leavesNs = network.departureNs(0, 1, chunkBytes + FRAME_BYTES);
      if (leavesNs >= 0) {
        network.at(leavesNs, () -> network.carry(0, 1, () -> arrive(psn)));
      }
    }
  }

  private void arrive(long psn) {
    if (psn == expected) {
      expected++;
      complained = false;
      answer(false);
    } else if (psn > expected && !complained) {
      complained = true;
      answer(true);
    }
  }

  private void answer(boolean complaint) {
    long upTo = expected;
    network.carry(1, 0, () -> onAnswer(upTo, complaint));
  }

  private void onAnswer(long upTo, boolean complaint) {
    if (upTo > oldest) {
      oldest = upTo;
      progressNs = network.nowNs();
    }
    if (complaint && upTo == oldest) {
      next = oldest;
    }
    next = Math.max(next, oldest);
    send();
  }

  private void watch() {
    if (network.nowNs() - progressNs >= timeoutNs) {
      progressNs = network.nowNs();
      next = oldest;
      send();
    }
    network.at(network.nowNs() + timeoutNs / 4, this::watch);
  }
}
