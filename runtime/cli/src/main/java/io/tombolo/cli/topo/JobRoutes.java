// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.topology.render.Paint;

/** What is shown of a job that runs besides its topology. */
final class JobRoutes {
  private static final int MAX_PAIRS = 12;

  private JobRoutes() {}

  /** How ranks of different clusters reach each other, and what has become of the job. */
  static String text(RunningJob job, Paint paint) {
    StringBuilder out = new StringBuilder("\n").append(paint.bold("Between clusters")).append('\n');
    Multimap<String, String> pairsOfRoute = LinkedHashMultimap.create();
    job.presences()
        .forEach(
            (rank, presence) ->
                presence
                    .routes()
                    .tailMap(rank, false)
                    .forEach((peer, route) -> pairsOfRoute.put(route, "r" + rank + " ↔ r" + peer)));
    pairsOfRoute
        .asMap()
        .forEach(
            (route, pairs) -> {
              String some = String.join(", ", pairs.stream().limit(MAX_PAIRS).toList());
              String more =
                  pairs.size() > MAX_PAIRS ? " and " + (pairs.size() - MAX_PAIRS) + " more" : "";
              out.append("  ").append(route).append(": ").append(some).append(more).append('\n');
            });
    if (job.presences().size() < job.ranks().size()) {
      int connecting = job.ranks().size() - job.presences().size();
      out.append("  ").append(connecting).append(" ranks are still connecting\n");
    }
    job.failure().ifPresent(text -> out.append("\nthe job has failed: ").append(text).append('\n'));
    return out.toString();
  }
}
