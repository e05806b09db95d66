// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.primitives.Longs;
import io.tombolo.base.errors.CorruptException;
import java.time.Duration;
import java.util.List;

/**
 * What a rank puts into the store now and then, to show that it lives. There it is text, its parts
 * separated by spaces.
 *
 * @param number counts its beats
 * @param periodMs the next one comes so much later; 0 if none does
 * @param calls how many calls it has made so far
 * @param host what people call its host
 */
record Beat(long number, long periodMs, long calls, String host) {
  private static final int PARTS = 4;

  private static final long NONE = -1;

  /** Stands for the first beat of a rank that has come, as long as there is none. */
  static Beat none(Duration period) {
    return new Beat(NONE, period.toMillis(), 0, "");
  }

  boolean isNone() {
    return number == NONE;
  }

  byte[] encode() {
    return "%s %s %s %s".formatted(number, periodMs, calls, host).getBytes(UTF_8);
  }

  static Beat decode(byte[] bytes, int rank) {
    List<String> parts = Splitter.on(' ').limit(PARTS).splitToList(new String(bytes, UTF_8));
    if (parts.size() == PARTS) {
      Long number = Longs.tryParse(parts.get(0));
      Long periodMs = Longs.tryParse(parts.get(1));
      Long calls = Longs.tryParse(parts.get(2));
      if (number != null && periodMs != null && periodMs >= 0 && calls != null) {
        return new Beat(number, periodMs, calls, parts.get(3));
      }
    }
    throw new CorruptException("the store holds no beat of rank " + rank + " where one should be");
  }
}
