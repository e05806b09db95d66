// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.util.concurrent.TimeUnit;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** When a flow lets the queue run empty, and for how long. */
public final class DrainingCongestionControlTest {
  private static final int WINDOW = 100;
  private static final int DRAINED = 4;
  private static final long SHORTEST_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long QUEUED_NS = TimeUnit.MILLISECONDS.toNanos(14);
  private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(5);

  private CongestionControl draining;
  private long nowNs;

  @BeforeMethod
  public void begin() {
    draining = new DrainingCongestionControl(new Steady());
    ack(SHORTEST_NS, 0);
  }

  /** One acknowledgement of one chunk, {@code afterNs} later; the window then. */
  private int ack(long rttNs, long afterNs) {
    nowNs += afterNs;
    draining.onAck(rttNs, 0, SHORTEST_NS, 1, nowNs);
    return draining.windowChunks();
  }

  @Test
  public void shouldDrainForTwoRoundTripsWhenNoneWasShortForAWhile() {
    assertEquals(ack(QUEUED_NS, PERIOD_NS - 1), WINDOW);
    assertEquals(ack(QUEUED_NS, 1), DRAINED);
    assertEquals(ack(QUEUED_NS, 2 * QUEUED_NS - 1), DRAINED);
    for (int chunks = DRAINED + 1; chunks <= WINDOW; chunks++) {
      assertEquals(ack(SHORTEST_NS, 1), chunks);
    }
  }

  @Test
  public void shouldNotDrainWhereTheQueueEmptiesByItself() {
    for (int round = 0; round < 60; round++) {
      assertEquals(ack(round % 4 == 0 ? SHORTEST_NS : QUEUED_NS, PERIOD_NS / 5), WINDOW);
    }
  }

  /** At most a twentieth of the time, but before the shortest round trip is forgotten. */
  @Test
  public void shouldDrainLongPathsLessOften() {
    long slowNs = TimeUnit.MILLISECONDS.toNanos(150);
    int drains = 0;
    boolean wasDrained = false;
    for (long untilNs = nowNs + TimeUnit.SECONDS.toNanos(60); nowNs < untilNs; ) {
      boolean isDrained = ack(slowNs, slowNs / 10) == DRAINED;
      drains += isDrained && !wasDrained ? 1 : 0;
      wasDrained = isDrained;
    }
    assertTrue(drains == 7 || drains == 8, drains + " drains in 60 s");
  }

  /** A window that nothing changes. */
  private static final class Steady implements CongestionControl {
    @Override
    public void onAck(long rttNs, long pausedNs, long minRttNs, int ackedChunks, long nowNs) {}

    @Override
    public int windowChunks() {
      return WINDOW;
    }
  }
}
