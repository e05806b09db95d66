// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.Streams;
import com.google.common.primitives.Longs;
import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * How plans are cut and algorithms chosen; every rank must use the same.
 *
 * @param segmentBytes bytes of the vector that go through the phases together
 * @param algorithms which algorithm the user wants for which calls
 * @param tuner who chooses where the user has no wish
 */
public record Tuning(long segmentBytes, AlgorithmRules algorithms, Tuner tuner) {
  /** Segments in flight: one starting, one crossing, one finishing. */
  public static final int SEGMENTS_IN_FLIGHT = 3;

  /**
   * 2 MiB segments: large enough to amortise a vendor call, small enough for the phases of a vector
   * to overlap.
   */
  public static final Tuning DEFAULT = ofSegments(2L << 20);

  /** Checks that a segment can hold an element of any type. */
  public Tuning {
    checkArgument(
        segmentBytes >= Long.BYTES, "a segment holds at least 8 bytes, not %s", segmentBytes);
  }

  /** Segments and wishes; the cost model chooses for the rest. */
  public Tuning(long segmentBytes, AlgorithmRules algorithms) {
    this(segmentBytes, algorithms, CostTuner.INSTANCE);
  }

  /** Segments of {@code segmentBytes}, and no wishes about algorithms. */
  public static Tuning ofSegments(long segmentBytes) {
    return new Tuning(segmentBytes, AlgorithmRules.NONE);
  }

  /**
   * What {@code settings} name ({@code segment_bytes}, {@code algorithms}, {@code tuner}), the
   * defaults for the rest.
   */
  public static Tuning from(Map<String, String> settings) {
    String segment = settings.getOrDefault("segment_bytes", Long.toString(DEFAULT.segmentBytes()));
    Long bytes = Longs.tryParse(segment);
    if (bytes == null || bytes < Long.BYTES) {
      throw new UsageException(
          "segment_bytes must be a number of at least 8; it is '" + segment + "'");
    }
    return new Tuning(
        bytes,
        AlgorithmRules.parse(settings.getOrDefault("algorithms", "")),
        tuner(settings.getOrDefault("tuner", CostTuner.NAME)));
  }

  private static Tuner tuner(String name) {
    List<Tuner> found =
        Streams.concat(
                Stream.of(CostTuner.INSTANCE),
                ServiceLoader.load(Tuner.class).stream().map(ServiceLoader.Provider::get))
            .toList();
    return found.stream()
        .filter(tuner -> tuner.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no tuner is called '"
                        + name
                        + "'; there are "
                        + found.stream().map(Tuner::name).toList()
                        + ". A tuner of your own is a service of type "
                        + Tuner.class.getName()));
  }

  /** The algorithm for {@code call} in the job of {@code context}. */
  Algorithm algorithm(PlanContext context, CollectiveCall call) {
    return algorithms
        .choose(call.collective(), call.blockBytes())
        .orElseGet(() -> tuned(context, call));
  }

  private Algorithm tuned(PlanContext context, CollectiveCall call) {
    Algorithm chosen = tuner.choose(context, call);
    if (!chosen.serves(call.collective().even())) {
      throw new UsageException(
          "%s: the tuner '%s' chose %s, which does not serve it; choose one of %s"
              .formatted(
                  call, tuner.name(), chosen.text(), AlgorithmRules.names(call.collective())));
    }
    return chosen;
  }
}
