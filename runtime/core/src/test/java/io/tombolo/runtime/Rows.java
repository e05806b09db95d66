// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The rows of a data provider. Of those that differ little one is tried, drawn by a seed that is
 * printed; all of them with {@code -Dtombolo.full=true} (.ci/run) or {@code -Dtombolo.deep=true}.
 */
final class Rows {
  private static final boolean FULL =
      Boolean.getBoolean("tombolo.full") || Boolean.getBoolean("tombolo.deep");

  private final List<Object[]> rows = new ArrayList<>();

  /** Tries all of these. */
  Rows all(Object[][] each) {
    rows.addAll(List.of(each));
    return this;
  }

  /** Tries one of these. */
  Rows oneOf(Object[][] alike) {
    return FULL ? all(alike) : all(new Object[][] {alike[drawn(alike.length)]});
  }

  private static int drawn(int bound) {
    return new Random(TestSeed.drawn()).nextInt(bound);
  }

  Object[][] toArray() {
    return rows.toArray(Object[][]::new);
  }
}
