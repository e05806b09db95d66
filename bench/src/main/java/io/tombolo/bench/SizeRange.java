// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;

/** The sizes a benchmark goes through. */
final class SizeRange {
  private SizeRange() {}

  /** {@code from}, {@code from × factor}, … up to and including {@code to}. */
  static ImmutableList<Long> of(long from, long to, int factor) {
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
