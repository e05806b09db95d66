// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableMap;
import java.util.Map;

/**
 * What routes cost: nominal figures, or measured ones per class of link where there are any. A
 * value; all ranks that plan together hold an equal one.
 *
 * @param measured figures that replace the nominal ones
 */
public record CostModel(ImmutableMap<LinkClass, LinkCost> measured) {

  /** Without any measurement. */
  public static CostModel nominal() {
    return new CostModel(ImmutableMap.of());
  }

  /** This model, with links of {@code linkClass} costing {@code cost}. */
  public CostModel withMeasured(LinkClass linkClass, LinkCost cost) {
    return new CostModel(
        ImmutableMap.<LinkClass, LinkCost>builder()
            .putAll(measured)
            .putAll(Map.of(linkClass, cost))
            .buildKeepingLast());
  }

  /** What {@code route} costs. */
  public LinkCost of(Route route) {
    LinkCost nominal = new LinkCost(route.latencyPs(), route.megabytesPerSecond());
    return measured.getOrDefault(route.linkClass(), nominal);
  }

  /** Time for {@code sizeBytes} over {@code route}, in picoseconds. */
  public long timePs(Route route, long sizeBytes) {
    return of(route).timePs(sizeBytes);
  }
}
