// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimaps;
import com.google.common.collect.SetMultimap;
import com.google.common.math.LongMath;
import com.google.common.primitives.ImmutableLongArray;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * How much of its cluster's traffic each member carries, from the ways to the network that ranks
 * published: the same choice of relays as {@link Survey}'s, for a job of which only that is known.
 */
public final class RelayWeights {
  private RelayWeights() {}

  /**
   * The weights of {@code cluster}'s members, by position: MB/s of the NICs each speaks through, in
   * lowest terms; all alike if no member has any.
   *
   * @param clustering where {@code cluster} is from
   * @param uplinks each rank's ways to the network
   */
  public static ImmutableLongArray of(
      Clustering clustering, Cluster cluster, List<ImmutableList<Uplink>> uplinks) {
    SetMultimap<String, Integer> ranksOfHost = LinkedHashMultimap.create();
    cluster.ranks().forEach(rank -> ranksOfHost.put(clustering.site(rank).hostId(), rank));
    long[] weights = new long[cluster.size()];
    for (Set<Integer> ranks : Multimaps.asMap(ranksOfHost).values()) {
      ImmutableList<Integer> members = ImmutableList.copyOf(ranks);
      for (NearestMembers.Choice choice :
          NearestMembers.choose(members.stream().map(uplinks::get).toList())) {
        weights[cluster.positionOf(members.get(choice.member()))] +=
            choice.uplink().megabytesPerSecond();
      }
    }
    return lowest(weights);
  }

  private static ImmutableLongArray lowest(long[] weights) {
    long divisor = Arrays.stream(weights).reduce(0, LongMath::gcd);
    return ImmutableLongArray.copyOf(
        Arrays.stream(weights).map(weight -> divisor == 0 ? 1 : weight / divisor));
  }
}
