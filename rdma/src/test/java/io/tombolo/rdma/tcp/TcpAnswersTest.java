// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.WakeUps;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** When a host that does not answer counts as gone; the kernel and the clock are the test's. */
public final class TcpAnswersTest {
  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final long LOOK_MS = TimeUnit.NANOSECONDS.toMillis(TcpAnswers.LOOK_NS);

  private long nowNs;
  private long unanswered;
  private TcpAnswers answers;

  @BeforeMethod
  public void connect() {
    nowNs = 0;
    answers = new TcpAnswers(SILENCE, this::nowNs, this::unanswered);
  }

  private long nowNs() {
    return nowNs;
  }

  private long unanswered() {
    return unanswered;
  }

  private void begin() throws IOException {
    look(0);
    answers.sent();
  }

  private void look(long seen) throws IOException {
    nowNs += TcpAnswers.LOOK_NS;
    unanswered = seen;
    answers.check();
  }

  /** How long one may rest until the next look. */
  private long rest() {
    long[] rest = {Long.MAX_VALUE};
    answers.awaits(
        new WakeUps() {
          @Override
          public void on(int descriptor) {
            throw new AssertionError("it has no descriptor");
          }

          @Override
          public void within(long delayNs) {
            rest[0] = delayNs;
          }
        });
    return rest[0];
  }

  @Test
  public void shouldCountAHostAsGoneThatIsAskedInVain() throws IOException {
    begin();
    look(1);
    for (long ms = 0; ms < SILENCE.toMillis(); ms += LOOK_MS) {
      look(1 + ms + LOOK_MS);
    }
    SocketTimeoutException e =
        expectThrows(SocketTimeoutException.class, () -> look(1 + SILENCE.toMillis()));
    assertTrue(e.getMessage().contains("answered nothing for 10000 ms"), e.getMessage());
  }

  /** A path that loses much: now and then something comes. */
  @Test
  public void shouldNotMissAHostThatAnswersNowAndThen() throws IOException {
    begin();
    for (int times = 0; times < 100; times++) {
      look(1 + times % 10 * LOOK_MS);
    }
  }

  /**
   * One that has no room is asked from time to time, and answers each time: nothing had to come
   * before.
   */
  @Test
  public void shouldNotMissAHostThatHasNoRoom() throws IOException {
    begin();
    for (int times = 0; times < 100; times++) {
      look(1);
      look(1 + 60_000);
    }
  }

  @Test
  public void shouldRestAsSoonAsAllIsAnswered() throws IOException {
    assertEquals(rest(), Long.MAX_VALUE);
    begin();
    assertEquals(rest(), TcpAnswers.LOOK_NS);
    look(1);
    assertEquals(rest(), TcpAnswers.LOOK_NS);
    look(0);
    assertEquals(rest(), Long.MAX_VALUE);
  }
}
