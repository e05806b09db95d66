// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.common.base.Preconditions;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import com.google.common.net.HostAndPort;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.topology.render.Paint;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;

/** Looks at a job that runs, through its store, with its token. */
final class JobView {
  private static final String TOKEN = "TOMBOLO_TOKEN";
  private static final String STORE = "TOMBOLO_STORE";
  private static final int MAX_PAIRS = 12;

  private final HostAndPort place;
  private final Map<String, String> environment;
  private final Duration timeout;

  /** The job whose store is at {@code place}, as {@code HOST:PORT}. */
  JobView(String place, Map<String, String> environment, Duration timeout) {
    this.place = parse(place);
    this.environment = environment;
    this.timeout = timeout;
  }

  private static HostAndPort parse(String place) {
    try {
      HostAndPort parsed = HostAndPort.fromString(place);
      Preconditions.checkArgument(parsed.hasPort() && !parsed.getHost().isEmpty());
      return parsed;
    } catch (IllegalArgumentException e) {
      throw new UsageException("--job " + place + " is not HOST:PORT, such as 127.0.0.1:29500", e);
    }
  }

  RunningJob read() {
    String hex = environment.getOrDefault(TOKEN, "");
    if (hex.isEmpty()) {
      throw new UsageException(
          TOKEN
              + " is not set: a job shows itself to those who have its token. Before the job starts,"
              + " set it there and here, made once with: openssl rand -hex 32");
    }
    try (Store store = open(JobToken.parse(hex), Deadline.after(timeout))) {
      return RunningJob.read(store);
    }
  }

  private Store open(JobToken token, Deadline deadline) {
    InetSocketAddress address = new InetSocketAddress(place.getHost(), place.getPort());
    return environment.getOrDefault(STORE, "").equals("torch")
        ? TcpStore.connectForeign(address, token, deadline)
        : TcpStore.connect(address, token, deadline);
  }

  /** How ranks of different clusters reach each other, and what has become of the job. */
  static String routes(RunningJob job, Paint paint) {
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
