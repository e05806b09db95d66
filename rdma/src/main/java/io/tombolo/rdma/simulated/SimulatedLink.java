package io.tombolo.rdma.simulated;

/** One direction between two nodes: what it is busy with, and how long it is blocked. */
final class SimulatedLink {
  private static final double NS_PER_SECOND = 1e9;

  private long busyUntilNs;
  private long cloggedUntilNs;
  private long silentUntilNs;

  /** When a packet of {@code bytes} offered now has left; −1 if the queue before it is full. */
  long depart(FaultPlan plan, int bytes, long nowNs) {
    if (plan.rateBytesPerSecond() == 0) {
      return nowNs;
    }
    long waitNs = Math.max(0, busyUntilNs - nowNs);
    double queuedBytes = waitNs / NS_PER_SECOND * plan.rateBytesPerSecond();
    if (queuedBytes > plan.queueBytes()) {
      return -1;
    }
    busyUntilNs = nowNs + waitNs + (long) (bytes * NS_PER_SECOND / plan.rateBytesPerSecond());
    return busyUntilNs;
  }

  void clog(long untilNs) {
    cloggedUntilNs = Math.max(cloggedUntilNs, untilNs);
  }

  void silence(long untilNs) {
    silentUntilNs = Math.max(silentUntilNs, untilNs);
  }

  void heal() {
    cloggedUntilNs = 0;
    silentUntilNs = 0;
  }

  boolean isSilent(long nowNs) {
    return nowNs < silentUntilNs;
  }

  /** When something that would arrive at {@code arrivalNs} does. */
  long throughClog(long arrivalNs) {
    return Math.max(arrivalNs, cloggedUntilNs);
  }
}
