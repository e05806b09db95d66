// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.testng.annotations.Test;

/** Vendors whose collective library joins ranks of one host only. */
public class OneHostClustersTest {
  private static RankSite lonely(int rank, String vendor, String host) {
    return new RankSite(rank, vendor, "", host, true, "device");
  }

  private static RankSite social(int rank, String vendor, String host) {
    return new RankSite(rank, vendor, "", host, false, "device");
  }

  private static List<ImmutableList<Integer>> ranks(Clustering clustering) {
    return clustering.clusters().stream().map(Cluster::ranks).toList();
  }

  @Test
  public void shouldMakeOneClusterOfEachHostWhereTheLibraryJoinsOnlyThat() {
    Clustering clustering =
        Clustering.of(
            List.of(
                lonely(0, "host", "a"),
                social(1, "nvidia", "a"),
                lonely(2, "host", "b"),
                social(3, "nvidia", "b"),
                lonely(4, "host", "a")));
    assertEquals(
        ranks(clustering),
        List.of(ImmutableList.of(0, 4), ImmutableList.of(1, 3), ImmutableList.of(2)));
    assertEquals(
        clustering.reason(2),
        "the first rank of 'host' on host b, which its library joins with no other");
    assertEquals(
        clustering.reason(4), "its vendor and host, 'host' on host a, are also those of rank 0");
    assertEquals(clustering.kind(clustering.clusterOf(0)), "host on host a");
  }

  @Test
  public void shouldNotSpeakOfHostsInAJobOfOne() {
    Clustering clustering = Clustering.of(List.of(lonely(0, "host", "a"), lonely(1, "host", "a")));
    assertEquals(ranks(clustering), List.of(ImmutableList.of(0, 1)));
    assertEquals(clustering.reason(1), "its vendor 'host' is also that of rank 0");
  }
}
