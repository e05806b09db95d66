// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.console;

import java.util.Locale;

/** Numbers as people read them. */
public final class Figures {
  private static final int KIBI = 1024;

  private Figures() {}

  /** A number of bytes with a binary unit: {@code 12.5 MiB}. */
  public static String bytes(long sizeBytes) {
    String[] units = {"KiB", "MiB", "GiB", "TiB"};
    if (sizeBytes < KIBI) {
      return sizeBytes + " B";
    }
    double value = sizeBytes;
    int unit = -1;
    while (value >= KIBI && unit < units.length - 1) {
      value /= KIBI;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }

  /** A whole number in groups of three: {@code 1 234 567}. */
  public static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
  }

  /** A share of one as {@code 96.9 %}. */
  public static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  /** Seconds with one decimal: {@code 4.2 s}. */
  public static String seconds(long durationNs) {
    return String.format(Locale.ROOT, "%.1f s", durationNs / 1e9);
  }

  /** A duration in picoseconds: {@code 12.3 µs}, {@code 4.56 ms}. */
  public static String time(long durationPs) {
    double microseconds = durationPs / 1e6;
    return microseconds < 1_000
        ? String.format(Locale.ROOT, "%.1f µs", microseconds)
        : String.format(Locale.ROOT, "%.2f ms", microseconds / 1_000);
  }
}
