package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.primitives.Longs;
import io.tombolo.base.errors.UsageException;
import java.util.Map;

/**
 * The sizes a plan is cut by; every rank must use the same.
 *
 * @param segmentBytes bytes of the vector that go through the phases together
 */
public record Tuning(long segmentBytes) {
  /** Segments in flight: one reducing, one crossing, one gathering. */
  public static final int SEGMENTS_IN_FLIGHT = 3;

  /**
   * 2 MiB segments: large enough to amortise a vendor call, small enough for the phases of a vector
   * to overlap.
   */
  public static final Tuning DEFAULT = new Tuning(2L << 20);

  /** Checks that a segment can hold an element of any type. */
  public Tuning {
    checkArgument(
        segmentBytes >= Long.BYTES, "a segment holds at least 8 bytes, not %s", segmentBytes);
  }

  /** The sizes that {@code settings} name ({@code segment_bytes}), the defaults for the rest. */
  public static Tuning from(Map<String, String> settings) {
    String segment = settings.getOrDefault("segment_bytes", Long.toString(DEFAULT.segmentBytes()));
    Long bytes = Longs.tryParse(segment);
    if (bytes == null || bytes < Long.BYTES) {
      throw new UsageException(
          "segment_bytes must be a number of at least 8; it is '" + segment + "'");
    }
    return new Tuning(bytes);
  }
}
