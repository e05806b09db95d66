// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankLog;
import java.util.function.Consumer;

/**
 * Listens to the ranks of a benchmark: prints what rank 0 wants printed, and remembers how many
 * elements were wrong.
 */
final class BenchEvents implements RankEvents {
  private static final long UNKNOWN = -1;

  private final Consumer<String> out;
  private final Consumer<String> notes;
  private final RankLog log = new RankLog();
  private volatile long wrong = UNKNOWN;

  /**
   * Prints the benchmark to {@code out}, and what people want to know meanwhile to {@code notes}.
   */
  BenchEvents(Consumer<String> out, Consumer<String> notes) {
    this.out = out;
    this.notes = notes;
  }

  @Override
  public void onEvent(int rank, String json) {
    JsonPrimitive event = JsonParser.parseString(json).getAsJsonPrimitive();
    if (event.isNumber()) {
      wrong = event.getAsLong();
    } else {
      out.accept(event.getAsString());
    }
  }

  @Override
  public void onOutput(int rank, String line) {
    log.add(rank, line);
  }

  @Override
  public void onWaiting(String text) {
    notes.accept(text);
  }

  /** What ranks wrote that was not for printing. */
  RankLog log() {
    return log;
  }

  /** Wrong elements over all ranks; not 0 as long as nobody has said so. */
  long wrong() {
    return wrong;
  }
}
