// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.topology.Clustering;
import java.util.Arrays;
import java.util.stream.Stream;

/** The operations that are measured, by name. */
final class Operations {
  private Operations() {}

  /** All names. */
  static Stream<String> names() {
    return Stream.concat(collectives().map(Collective::text), Stream.of(SendReceive.NAME));
  }

  /** The operations that move something between all ranks, in blocks of one size. */
  static Stream<Collective> collectives() {
    return Arrays.stream(Collective.values())
        .filter(each -> !each.isUneven() && !each.isPointToPoint())
        .filter(each -> each.signature().input().content() != Content.NOTHING);
  }

  /** The operation called {@code name}, as {@code rank} of {@code clustering} sees it. */
  static Operation of(String name, Clustering clustering, int rank) {
    return name.equals(SendReceive.NAME)
        ? SendReceive.of(Ring.of(clustering), rank)
        : new CollectiveOperation(Collective.parse(name), clustering.size(), rank);
  }
}
