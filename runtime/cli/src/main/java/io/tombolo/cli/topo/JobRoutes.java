// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.topology.render.Paint;
import java.util.Collection;

/** What is shown of a job that runs besides its topology. */
final class JobRoutes {
  private static final int MOST = 12;

  private JobRoutes() {}

  /**
   * How ranks of different clusters reach each other, whose calls block, and what has become of the
   * job.
   */
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
    pairsOfRoute.asMap().forEach((route, pairs) -> out.append(line(route, pairs)));
    Multimap<String, String> ranksOfOrder = LinkedHashMultimap.create();
    job.presences()
        .forEach(
            (rank, presence) ->
                presence.hostOrder().ifPresent(why -> ranksOfOrder.put(why, "r" + rank)));
    ranksOfOrder
        .asMap()
        .forEach((why, ranks) -> out.append(line("calls in the host's order: " + why, ranks)));
    if (job.presences().size() < job.ranks().size()) {
      int connecting = job.ranks().size() - job.presences().size();
      out.append("  ").append(connecting).append(" ranks are still connecting\n");
    }
    job.failure().ifPresent(text -> out.append("\nthe job has failed: ").append(text).append('\n'));
    return out.toString();
  }

  /** {@code what}, and of whom: some of them, if they are many. */
  private static String line(String what, Collection<String> whose) {
    String some = String.join(", ", whose.stream().limit(MOST).toList());
    String more = whose.size() > MOST ? " and " + (whose.size() - MOST) + " more" : "";
    return "  " + what + ": " + some + more + "\n";
  }
}
