// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.LinkedHashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.collect.Sets;
import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which vendor's device each rank of a job uses, as people write it: {@code
 * emu-nvidia:2,emu-amd:2}, and optionally the order of the ranks: {@code
 * emu-nvidia,emu-amd,emu-amd,emu-nvidia}.
 *
 * @param vendors the vendor by rank
 */
public record ClusterSpec(ImmutableList<String> vendors) {
  /** One launcher starts no more ranks than this; more is a slip of the finger. */
  public static final int MAX_RANKS = 1024;

  /** So many ranks a job may have that nobody starts. */
  public static final int MAX_IMAGINED_RANKS = 100_000;

  private static final Pattern CLUSTER = Pattern.compile("([a-z][a-z0-9_-]*):([0-9]{1,6})");

  /**
   * The ranks of {@code clusters}, cluster after cluster; a {@link UsageException} says what is
   * wrong.
   */
  public static ClusterSpec parse(String clusters) {
    return new ClusterSpec(ImmutableList.copyOf(counts(clusters, MAX_RANKS)));
  }

  /** As {@link #parse(String)}, of a job that nobody starts, which may have more ranks. */
  public static ClusterSpec imagined(String clusters) {
    return new ClusterSpec(ImmutableList.copyOf(counts(clusters, MAX_IMAGINED_RANKS)));
  }

  /**
   * As {@link #parse(String)}, with the ranks in {@code order}, which must have the same counts.
   */
  public static ClusterSpec parse(String clusters, String order) {
    return inOrder(counts(clusters, MAX_RANKS), clusters, order);
  }

  /** As {@link #parse(String, String)}, of a job that nobody starts, which may have more ranks. */
  public static ClusterSpec imagined(String clusters, String order) {
    return inOrder(counts(clusters, MAX_IMAGINED_RANKS), clusters, order);
  }

  private static ClusterSpec inOrder(Multiset<String> counts, String clusters, String order) {
    ImmutableList<String> vendors = ImmutableList.copyOf(parts(order));
    Multiset<String> ordered = LinkedHashMultiset.create(vendors);
    for (String vendor : Sets.union(ordered.elementSet(), counts.elementSet())) {
      checkCount(clusters, order, vendor, counts.count(vendor), ordered.count(vendor));
    }
    return new ClusterSpec(vendors);
  }

  /**
   * The ranks of {@code order}, whose clusters are the vendors it names; a {@link UsageException}
   * says what is wrong.
   */
  public static ClusterSpec ordered(String order) {
    return parse(clusters(LinkedHashMultiset.create(parts(order))), order);
  }

  /** Number of ranks. */
  public int size() {
    return vendors.size();
  }

  private static Multiset<String> counts(String clusters, int maxRanks) {
    Multiset<String> counts = LinkedHashMultiset.create();
    for (String part : parts(clusters)) {
      Matcher cluster = CLUSTER.matcher(part);
      if (!cluster.matches()) {
        throw new UsageException(
            "'%s' in the clusters '%s' is not of the form vendor:ranks, for example emu-nvidia:2"
                .formatted(part, clusters));
      }
      String vendor = cluster.group(1);
      int ranks = Integer.parseInt(cluster.group(2));
      if (ranks == 0 || counts.size() + ranks > maxRanks) {
        throw new UsageException(
            "the clusters '%s' give %s %s ranks; a cluster has at least 1, a job at most %s"
                .formatted(clusters, vendor, ranks, maxRanks));
      }
      if (counts.contains(vendor)) {
        throw new UsageException(
            "the clusters '%s' name %s twice; all ranks of a vendor are one cluster"
                .formatted(clusters, vendor));
      }
      counts.add(vendor, ranks);
    }
    return counts;
  }

  private static void checkCount(
      String clusters, String order, String vendor, int wanted, int ordered) {
    if (wanted != ordered) {
      throw new UsageException(
          "the order '%s' has %s ranks of '%s', the clusters '%s' have %s"
              .formatted(order, ordered, vendor, clusters, wanted));
    }
  }

  private static List<String> parts(String text) {
    return Splitter.on(',').trimResults().splitToList(text);
  }

  /** The form that {@link #parse(String)} reads; it does not tell the order. */
  @Override
  public String toString() {
    return clusters(LinkedHashMultiset.create(vendors));
  }

  private static String clusters(Multiset<String> vendors) {
    return vendors.entrySet().stream()
        .map(cluster -> cluster.getElement() + ":" + cluster.getCount())
        .collect(Collectors.joining(","));
  }
}
