package io.tombolo.base;

import io.tombolo.base.errors.UsageException;
import java.util.Locale;

/**
 * Sizes as people write them: {@code 8}, {@code 64K}, {@code 1M}, {@code 2G}, in powers of 1024.
 */
public final class ByteSizes {
  private static final String SUFFIXES = "KMG";
  private static final int KIBI_BITS = 10;

  private ByteSizes() {}

  /** The number of bytes that {@code text} says; a {@link UsageException} tells the form. */
  public static long parse(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    if (!upper.matches("\\d{1,12}[KMG]?")) {
      throw new UsageException(
          "a size is a number of bytes with K, M, G or nothing after it; got '" + text + "'");
    }
    int suffix = SUFFIXES.indexOf(upper.charAt(upper.length() - 1));
    String digits = suffix < 0 ? upper : upper.substring(0, upper.length() - 1);
    return Long.parseLong(digits) << (KIBI_BITS * (suffix + 1));
  }
}
