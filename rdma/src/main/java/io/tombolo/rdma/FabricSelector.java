// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Chooses the fabric to each peer: the first, in order of preference, whose addresses say that it
 * reaches.
 */
public final class FabricSelector {
  private final ImmutableList<Fabric> preferred;

  private FabricSelector(List<Fabric> preferred) {
    this.preferred = ImmutableList.copyOf(preferred);
  }

  /** A selector among these fabrics, the best first. */
  public static FabricSelector of(List<Fabric> preferred) {
    return new FabricSelector(preferred);
  }

  /** The fabrics to choose from, the best first. */
  public ImmutableList<Fabric> preferred() {
    return preferred;
  }

  /** What this process publishes: its address on every fabric, by name. */
  public ImmutableMap<String, byte[]> addresses() {
    return preferred.stream().collect(ImmutableMap.toImmutableMap(Fabric::name, Fabric::address));
  }

  /**
   * The fabric to {@code peer}, which published {@code addresses} (by fabric name). The reason
   * names no rank: peers that are reached alike share it.
   *
   * @throws UnavailableException if none reaches, with what is wrong with each
   */
  public Choice choose(int peer, Map<String, byte[]> addresses) {
    List<String> passedOver = new ArrayList<>();
    for (Fabric fabric : preferred) {
      byte[] address = addresses.get(fabric.name());
      if (address == null) {
        passedOver.add("it has no " + fabric.name());
      } else if (!fabric.reaches(address)) {
        passedOver.add(fabric.name() + " does not reach it");
      } else {
        return new Choice(fabric, reason(fabric, passedOver));
      }
    }
    throw new UnavailableException(
        "no fabric leads to rank "
            + peer
            + ": "
            + String.join(", ", passedOver)
            + "; allow more fabrics, on this rank and on that one");
  }

  /** The fabric that {@link #choose} gives for these addresses, if any reaches. */
  public Optional<Fabric> first(Map<String, byte[]> addresses) {
    return preferred.stream()
        .filter(fabric -> addresses.containsKey(fabric.name()))
        .filter(fabric -> fabric.reaches(addresses.get(fabric.name())))
        .findFirst();
  }

  private static String reason(Fabric fabric, List<String> passedOver) {
    return passedOver.isEmpty()
        ? fabric.reach()
        : fabric.reach() + " (" + String.join(", ", passedOver) + ")";
  }

  /**
   * The fabric to one peer.
   *
   * @param fabric which one
   * @param reason why, for people
   */
  public record Choice(Fabric fabric, String reason) {}
}
