// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with units, as people write them. */
public final class Quantities {
  private static final Pattern NUMBER = Pattern.compile("([0-9]+(?:[.][0-9]+)?)\\s*([A-Za-z%]*)");
  private static final ImmutableMap<String, Double> DURATIONS =
      ImmutableMap.of("", 1.0, "ns", 1.0, "us", 1e3, "µs", 1e3, "ms", 1e6, "s", 1e9);
  private static final ImmutableMap<String, Double> RATES =
      ImmutableMap.of("kbit", 125.0, "Mbit", 125e3, "Gbit", 125e6, "kB", 1e3, "MB", 1e6, "GB", 1e9);
  private static final ImmutableMap<String, Double> PARTS = ImmutableMap.of("", 1.0, "%", 0.01);

  private Quantities() {}

  /** {@code 1%} or {@code 0.01}; from 0 to 1. */
  public static double probability(String text) {
    double value = parse("a probability", text, PARTS);
    if (value > 1) {
      throw new UsageException("a probability is at most 100%, not " + text);
    }
    return value;
  }

  /** {@code 50us} in nanoseconds. */
  public static long durationNs(String text) {
    return Math.round(parse("a duration", text, DURATIONS));
  }

  /** {@code 1Gbit} or {@code 125MB}, each second. */
  public static long bytesPerSecond(String text) {
    return Math.round(parse("a rate", text, RATES));
  }

  static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new UsageException("'" + text + "' is no whole number");
    }
  }

  private static double parse(String what, String text, ImmutableMap<String, Double> units) {
    Matcher matcher = NUMBER.matcher(text);
    Double unit = matcher.matches() ? units.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new UsageException(
          "'" + text + "' is not " + what + ": a number and one of " + units.keySet());
    }
    return Double.parseDouble(matcher.group(1)) * unit;
  }
}
