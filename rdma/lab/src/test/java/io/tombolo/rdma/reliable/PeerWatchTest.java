// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.time.Duration;
import org.testng.annotations.Test;

public class PeerWatchTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final ProtocolConfig config = ProtocolConfig.of(Shape.DATAGRAM, 1024);

  @Test
  public void shouldGiveUpAPeerThatIsSilentWhileWeListen() {
    PeerWatch watch = new PeerWatch(config, 0);
    assertFalse(watch.isGivenUp(config.giveUpNs() - 1));
    assertTrue(watch.isGivenUp(config.giveUpNs()));
  }

  /** Between two looks the process was not scheduled: the peer may have spoken all the time. */
  @Test
  public void shouldNotGiveUpAPeerBecauseThisProcessStoodStill() {
    PeerWatch watch = new PeerWatch(config, 0);
    long now = 0;
    for (int pause = 0; pause < 5; pause++) {
      now += 8 * SECOND;
      watch.onPause(8 * SECOND);
      assertFalse(watch.isGivenUp(now), "after " + pause + " pauses more");
    }
  }

  @Test
  public void shouldGiveUpADeadPeerEvenIfThisProcessAlwaysStandsStill() {
    PeerWatch watch = new PeerWatch(config, 0);
    long now = 0;
    int pauses = 0;
    while (!watch.isGivenUp(now)) {
      now += 8 * SECOND;
      watch.onPause(8 * SECOND);
      assertTrue(++pauses <= 20, "never");
    }
  }
}
