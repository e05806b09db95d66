// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes as people write them. {@code K}, {@code M}, {@code G} and {@code KiB}, {@code MiB}, {@code
 * GiB} are powers of 1024, as in {@code nccl-tests}; {@code kB}, {@code MB}, {@code GB} are powers
 * of 1000 (IEC 80000-13); {@code B} or nothing is bytes. Case does not matter.
 */
public final class ByteSizes {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?)\\s?([a-z]*)");
  private static final ImmutableMap<String, Long> UNITS =
      ImmutableMap.<String, Long>builder()
          .put("", 1L)
          .put("b", 1L)
          .put("k", 1L << 10)
          .put("kib", 1L << 10)
          .put("kb", 1_000L)
          .put("m", 1L << 20)
          .put("mib", 1L << 20)
          .put("mb", 1_000_000L)
          .put("g", 1L << 30)
          .put("gib", 1L << 30)
          .put("gb", 1_000_000_000L)
          .buildOrThrow();

  private static final BigDecimal TOO_MANY = BigDecimal.valueOf(1L << 60);

  private ByteSizes() {}

  /** The number of bytes that {@code text} says; a {@link UsageException} tells the form. */
  public static long parse(String text) {
    Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    Long unit = size.matches() ? UNITS.get(size.group(2)) : null;
    BigDecimal bytes =
        unit == null ? TOO_MANY : new BigDecimal(size.group(1)).multiply(BigDecimal.valueOf(unit));
    if (bytes.compareTo(TOO_MANY) >= 0) {
      throw new UsageException(
          "a size is a number with K, M, G (powers of 1024), KiB, MiB, GiB, kB, MB, GB or nothing"
              + " after it; got '"
              + text
              + "'");
    }
    return bytes.setScale(0, RoundingMode.DOWN).longValueExact();
  }
}
