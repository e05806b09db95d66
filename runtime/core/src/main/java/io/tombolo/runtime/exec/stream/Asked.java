// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import com.google.common.base.Ticker;
import io.tombolo.runtime.exec.stream.StreamProbe.Answer;
import java.util.function.Supplier;

/**
 * What a {@link StreamProbe} has answered to one question, for good once it could tell. As long as
 * it cannot, each try takes seconds: so it is asked again only after a while, twice as long each
 * time up to {@link #MOST_NS}, and one call that wants to know several times waits once.
 * Thread-safe.
 */
final class Asked {
  /** The first such while: several times what a try takes that comes to nothing. */
  static final long AGAIN_NS = 10_000_000_000L;

  /** The longest: a try takes a few hundredths of it, and ours may have been idle for all of it. */
  static final long MOST_NS = 8 * AGAIN_NS;

  private final Ticker ticker;
  private volatile Answer answer = Answer.UNDECIDED;
  private long pauseNs;
  private long endedNs;

  Asked(Ticker ticker) {
    this.ticker = ticker;
  }

  /** What is known of it so far. */
  Answer answer() {
    return answer;
  }

  /**
   * The answer; while there is none, {@code question} asks for it, if that is not too soon after
   * the last time. Where that throws nothing was asked.
   */
  synchronized Answer ask(Supplier<Answer> question) {
    boolean isTime = pauseNs == 0 || ticker.read() - endedNs >= pauseNs;
    if (answer == Answer.UNDECIDED && isTime) {
      answer = question.get();
      endedNs = ticker.read();
      pauseNs = pauseNs == 0 ? AGAIN_NS : Math.min(MOST_NS, 2 * pauseNs);
    }
    return answer;
  }
}
