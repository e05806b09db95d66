package io.tombolo.topology.render;

import com.google.common.collect.ImmutableList;

/** One colour per cluster, the same in all pictures; they repeat after eight. */
final class Colours {
  private static final ImmutableList<String> CLUSTERS =
      ImmutableList.of(
          "#5fae7f", "#e0737f", "#6a96d6", "#e3b04b", "#a883c2", "#4fb3a9", "#c98a5b", "#8d99a6");

  private Colours() {}

  static String of(int cluster) {
    return CLUSTERS.get(cluster % CLUSTERS.size());
  }
}
