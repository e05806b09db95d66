// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What ranks write besides their events. It is logged at once for those who debug; for others the
 * last lines are kept until the end: after a failure they mostly repeat, once per rank, what the
 * launcher says itself. Thread-safe.
 */
public final class RankLog {
  private static final Logger LOG = LoggerFactory.getLogger(RankLog.class);
  private static final int MAX_LINES = 100;

  private final Deque<String> lines = new ArrayDeque<>();
  private long dropped;

  /** A log without lines. */
  public RankLog() {}

  /** Takes a line that {@code rank} wrote. */
  public synchronized void add(int rank, String line) {
    String text = "rank " + rank + ": " + line;
    LOG.debug(text);
    lines.add(text);
    if (lines.size() > MAX_LINES) {
      lines.remove();
      dropped++;
    }
  }

  /** Hands on the lines kept, unless they were logged already. */
  public synchronized void forEach(Consumer<String> reader) {
    if (LOG.isDebugEnabled()) {
      return;
    }
    if (dropped > 0) {
      reader.accept("(" + dropped + " earlier lines of the ranks are left out)");
    }
    lines.forEach(reader);
  }
}
