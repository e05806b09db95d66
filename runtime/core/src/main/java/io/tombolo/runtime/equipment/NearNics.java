// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Uplink;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Which NICs a rank would rather use: those near its device. Pure. */
final class NearNics {
  private NearNics() {}

  /**
   * The names of NICs, the best first. Of several that are as good as the best, the ranks of a host
   * begin with one after the other, so that all are used.
   *
   * @param uplinks the rank's ways to the network
   * @param localRank its number on its host
   */
  static ImmutableList<String> of(List<Uplink> uplinks, int localRank) {
    List<Uplink> sorted = new ArrayList<>(uplinks);
    Collections.sort(sorted);
    int best = 0;
    while (best < sorted.size() && sorted.get(best).compareTo(sorted.get(0)) == 0) {
      best++;
    }
    if (best > 0) {
      Collections.rotate(sorted.subList(0, best), -localRank);
    }
    return sorted.stream().map(Uplink::nic).collect(ImmutableList.toImmutableList());
  }
}
