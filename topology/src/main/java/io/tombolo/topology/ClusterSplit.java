// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which vendors' ranks the user wants in more than one cluster, as {@code nvidia=2,amd=4}: as even
 * as they come, in order of ranks. Where a vendor's architectures are apart, each is so split.
 *
 * @param partsOfVendor number of clusters by vendor string; 1 for vendors that are not in it
 */
public record ClusterSplit(ImmutableMap<String, Integer> partsOfVendor) {

  /** One cluster per vendor. */
  public static ClusterSplit none() {
    return new ClusterSplit(ImmutableMap.of());
  }

  /** Reads {@code vendor=parts,…}; an empty text splits nothing. */
  public static ClusterSplit parse(String text) {
    Map<String, Integer> parts = new TreeMap<>();
    for (String item : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
      int equals = item.indexOf('=');
      String vendor = item.substring(0, Math.max(0, equals)).strip().toLowerCase(Locale.ROOT);
      String count = item.substring(equals + 1).strip();
      if (vendor.isEmpty() || !count.matches("[1-9]\\d{0,6}")) {
        throw new UsageException(
            "split '" + text + "': '" + item + "' is not VENDOR=CLUSTERS, as in nvidia=2");
      }
      if (parts.put(vendor, Integer.valueOf(count)) != null) {
        throw new UsageException("split '" + text + "' names " + vendor + " twice");
      }
    }
    return new ClusterSplit(ImmutableMap.copyOf(parts));
  }

  int parts(String vendor) {
    return partsOfVendor.getOrDefault(vendor, 1);
  }

  @Override
  public String toString() {
    return partsOfVendor.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(","));
  }
}
