// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.base.Joiner;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Clustering;
import java.util.stream.Collectors;

/** What C asks of a communicator as text, by the numbers of {@code tombolo_fact}. */
final class Facts {
  private Facts() {}

  /** Fact {@code number} of {@code open}. */
  static String of(OpenCommunicator open, int number) {
    return switch (number) {
      case 0 -> open.vendor();
      case 1 -> open.communicator().device().properties().name();
      case 2 -> clusters(open.communicator().clustering());
      case 3 -> routes(open);
      case 4 -> open.communicator().reductions();
      default -> throw new UsageException("there is no tombolo_fact " + number);
    };
  }

  private static String clusters(Clustering clustering) {
    return clustering.clusters().stream()
        .map(
            cluster ->
                "cluster %s, %s: ranks %s"
                    .formatted(
                        cluster.index(),
                        clustering.kind(cluster),
                        Joiner.on(' ').join(cluster.ranks())))
        .collect(Collectors.joining("\n"));
  }

  private static String routes(OpenCommunicator open) {
    if (open.communicator().routes().isEmpty()) {
      return open.communicator().hostOrder().map("calls in the host's order: "::concat).orElse("");
    }
    return open.communicator().routes().entrySet().stream()
        .map(route -> "to rank " + route.getKey() + ": " + route.getValue())
        .collect(Collectors.joining("\n"));
  }
}
