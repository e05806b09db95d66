// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Times in nanoseconds, on a path of 20 µs, of whose noise 200 µs are believed. */
public class NoiseMeterTest {
  private static final long PATH_NS = 20_000;
  private static final long MOST_NS = 200_000;
  private static final long LEAST_NS = 4_000;
  private static final int MEMORY_ROUNDS = 16;

  private NoiseMeter meter;
  private long nowNs;

  @BeforeMethod
  public void begin() {
    meter = new NoiseMeter(MOST_NS);
    nowNs = 0;
  }

  @Test
  public void shouldFindNoneInAQueueHoweverLong() {
    for (long queueNs = 0; queueNs < 1_000_000; queueNs += 1_000) {
      hear(PATH_NS + queueNs, PATH_NS + queueNs, 6_000);
    }
    assertEquals(meter.slackNs(), LEAST_NS);
  }

  @Test
  public void shouldFindNoneInTheSilenceOfThatWhichSendsNothing() {
    hear(PATH_NS, PATH_NS, 6_000);
    hear(PATH_NS, PATH_NS, 1_000_000);
    assertEquals(meter.slackNs(), LEAST_NS);
  }

  @Test
  public void shouldAllowForSilenceThatIsLongerThanRoundTripsInSteps() {
    hear(PATH_NS, PATH_NS, 6_000);
    hear(50_000, PATH_NS, 49_000);
    assertEquals(meter.slackNs(), 64_000);
    hear(100_000, PATH_NS, 99_000);
    assertEquals(meter.slackNs(), MOST_NS);
    hear(2_000_000, PATH_NS, 1_999_000);
    assertEquals(meter.slackNs(), MOST_NS);
  }

  @Test
  public void shouldForgetWhatHasNotComeBack() {
    hear(PATH_NS, PATH_NS, 6_000);
    hear(50_000, PATH_NS, 49_000);
    for (int round = 1; round < 2 * MEMORY_ROUNDS; round++) {
      meter.endRound();
      assertEquals(meter.slackNs(), 64_000, "round " + round);
    }
    meter.endRound();
    assertEquals(meter.slackNs(), LEAST_NS);
  }

  @Test
  public void shouldAllowForNoMoreThanIsBelieved() {
    assertEquals(new NoiseMeter(1_000).slackNs(), 1_000);
  }

  /** After so long a silence, of what was sent {@code rttNs} ago. */
  private void hear(long rttNs, long standingNs, long silenceNs) {
    nowNs += silenceNs;
    meter.onAck(rttNs, standingNs, nowNs);
  }
}
