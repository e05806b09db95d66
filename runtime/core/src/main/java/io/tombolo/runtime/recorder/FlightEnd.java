// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * How a rank's part in a communicator ended, as it wrote itself: at 2048 a word, which is written
 * last, then the time, the length of the cause, and the cause in UTF-8.
 *
 * @param kind how
 * @param atNs when, by the rank's {@code System.nanoTime}; 0 if it has not
 * @param cause of a failure; else empty
 */
public record FlightEnd(Kind kind, long atNs, String cause) {
  private static final int AT_NS = FlightFormat.END_AT + 8;
  private static final int LENGTH = FlightFormat.END_AT + 16;
  private static final int CAUSE = FlightFormat.END_AT + 24;
  private static final int MOST_CAUSE_BYTES = FlightFormat.RINGS_AT - CAUSE;

  /** How it ended. */
  public enum Kind {
    /** The rank has written nothing of it: it works, or it has ended without a word. */
    NONE(0),
    /** It was closed. */
    CLOSED(1),
    /** It has failed. */
    FAILED(2);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind ofCode(long code) {
      return Arrays.stream(values())
          .filter(kind -> kind.code == code)
          .findFirst()
          .orElseThrow(() -> new CorruptException("what it says of the end is damaged"));
    }
  }

  /** Writes it to {@code file}. */
  void encode(ByteBuffer file) {
    byte[] text = cause.getBytes(UTF_8);
    int length = Math.min(text.length, MOST_CAUSE_BYTES);
    FlightFormat.set(file, AT_NS, atNs);
    FlightFormat.set(file, LENGTH, length);
    file.duplicate().position(CAUSE).put(text, 0, length);
    FlightFormat.setRelease(file, FlightFormat.END_AT, kind.code);
  }

  static FlightEnd decode(ByteBuffer file) {
    Kind kind = Kind.ofCode(FlightFormat.getAcquire(file, FlightFormat.END_AT));
    if (kind == Kind.NONE) {
      return new FlightEnd(Kind.NONE, 0, "");
    }
    long length = FlightFormat.get(file, LENGTH);
    if (length < 0 || length > MOST_CAUSE_BYTES) {
      throw new CorruptException("what it says of the end is damaged");
    }
    byte[] text = new byte[(int) length];
    file.duplicate().position(CAUSE).get(text);
    return new FlightEnd(kind, FlightFormat.get(file, AT_NS), new String(text, UTF_8));
  }
}
