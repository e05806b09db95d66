// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.store.wire.NamedPart;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether holders who say that they have the same do: a reader may get one for the other. */
final class Replicas {
  /** A part, and the CRC-32C of its bytes. */
  private record Content(NamedPart part, int checksum) {}

  private Replicas() {}

  /**
   * Compares what holders have of one version, and the checksums of it.
   *
   * @throws MismatchException if two have different parts or bytes of one share
   */
  static void requireEqual(List<HeldLease> leases) {
    Map<Integer, HeldLease> firsts = new HashMap<>();
    for (HeldLease lease : leases) {
      HeldLease first = firsts.putIfAbsent(lease.held().rank().share(), lease);
      if (first != null) {
        requireEqual(first, lease);
      }
    }
  }

  private static void requireEqual(HeldLease one, HeldLease other) {
    Set<Content> first = contents(one);
    Set<Content> second = contents(other);
    for (Content content : Sets.symmetricDifference(first, second)) {
      throw new MismatchException(
          ("%s (%s) and %s (%s) are replicas, but of version %s only the %s has %s of '%s', %s,"
                  + " with checksum %08x; do all of them compute the same?")
              .formatted(
                  one.holder().link().where(),
                  one.held().rank(),
                  other.holder().link().where(),
                  other.held().rank(),
                  one.held().version(),
                  first.contains(content) ? "former" : "latter",
                  content.part().box(),
                  content.part().tensor().name(),
                  content.part().tensor().spec(),
                  content.checksum()));
    }
  }

  private static Set<Content> contents(HeldLease lease) {
    return lease.held().parts().stream()
        .map(part -> new Content(part.part(), part.checksum()))
        .collect(ImmutableSet.toImmutableSet());
  }
}
