package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.primitives.Longs;
import io.tombolo.base.errors.UsageException;
import java.util.Map;

/**
 * How plans are cut and algorithms chosen; every rank must use the same.
 *
 * @param segmentBytes bytes of the vector that go through the phases together
 * @param algorithms which algorithm the user wants for which calls
 */
public record Tuning(long segmentBytes, AlgorithmRules algorithms) {
  /** Segments in flight: one starting, one crossing, one finishing. */
  public static final int SEGMENTS_IN_FLIGHT = 3;

  /**
   * 2 MiB segments: large enough to amortise a vendor call, small enough for the phases of a vector
   * to overlap.
   */
  public static final Tuning DEFAULT = ofSegments(2L << 20);

  /** Up to here a call takes fewer messages rather than fewer bytes. */
  private static final long MOST_DIRECT_BYTES = 16 << 10;

  /** Checks that a segment can hold an element of any type. */
  public Tuning {
    checkArgument(
        segmentBytes >= Long.BYTES, "a segment holds at least 8 bytes, not %s", segmentBytes);
  }

  /** Segments of {@code segmentBytes}, and no wishes about algorithms. */
  public static Tuning ofSegments(long segmentBytes) {
    return new Tuning(segmentBytes, AlgorithmRules.NONE);
  }

  /**
   * What {@code settings} name ({@code segment_bytes}, {@code algorithms}), the defaults for the
   * rest.
   */
  public static Tuning from(Map<String, String> settings) {
    String segment = settings.getOrDefault("segment_bytes", Long.toString(DEFAULT.segmentBytes()));
    Long bytes = Longs.tryParse(segment);
    if (bytes == null || bytes < Long.BYTES) {
      throw new UsageException(
          "segment_bytes must be a number of at least 8; it is '" + segment + "'");
    }
    return new Tuning(bytes, AlgorithmRules.parse(settings.getOrDefault("algorithms", "")));
  }

  /** The algorithm for {@code call}. */
  Algorithm algorithm(CollectiveCall call) {
    long bytes = call.blockBytes();
    return algorithms
        .choose(call.collective(), bytes)
        .orElse(bytes <= MOST_DIRECT_BYTES ? Algorithm.DIRECT : Algorithm.PIECES);
  }
}
