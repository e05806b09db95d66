// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import com.google.common.collect.ImmutableList;

/**
 * One colour per cluster, the same in all pictures; they repeat after eight. White letters are
 * legible on each, and each stands out on white and on black.
 */
final class Colours {
  private static final ImmutableList<String> CLUSTERS =
      ImmutableList.of(
          "#3d9467", "#cf5866", "#4a7dc9", "#b9821c", "#8c64b0", "#2b958c", "#ad6d3c", "#6f7b88");

  private Colours() {}

  static String of(int cluster) {
    return CLUSTERS.get(cluster % CLUSTERS.size());
  }
}
