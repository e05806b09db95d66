package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import java.util.Locale;

/**
 * Sizes as benchmarks write them: {@code 8}, {@code 64K}, {@code 1M}, {@code 2G}, in powers of
 * 1024.
 */
final class ByteSizes {
  private static final String SUFFIXES = "KMG";
  private static final int KIBI_BITS = 10;

  private ByteSizes() {}

  /** The number of bytes that {@code text} says. */
  static long parse(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    if (!upper.matches("\\d{1,12}[KMG]?")) {
      throw new UsageException(
          "a size is a number of bytes with K, M, G or nothing after it; got '" + text + "'");
    }
    int suffix = SUFFIXES.indexOf(upper.charAt(upper.length() - 1));
    String digits = suffix < 0 ? upper : upper.substring(0, upper.length() - 1);
    return Long.parseLong(digits) << (KIBI_BITS * (suffix + 1));
  }

  /** {@code from}, {@code from × factor}, … up to and including {@code to}. */
  static ImmutableList<Long> range(long from, long to, int factor) {
    if (from > to) {
      throw new UsageException(
          "the sizes begin at " + from + " bytes, which is above their end of " + to);
    }
    if (factor < 2) {
      throw new UsageException("the factor between sizes is at least 2, not " + factor);
    }
    ImmutableList.Builder<Long> sizes = ImmutableList.builder();
    for (long size = from; size <= to; size = Math.max(size, 1) * factor) {
      sizes.add(size);
    }
    return sizes.build();
  }
}
