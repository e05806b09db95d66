// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.errors.UsageException;
import java.util.Map;
import java.util.Optional;

/**
 * How an RDMA device's packets travel: what switches are to see on them, and what the network does
 * for them. Administrators know; devices do not say.
 *
 * @param serviceLevel the InfiniBand service level, 0 to 15
 * @param trafficClass 0 to 255, on what carries GIDs: on RoCE v2 the IP header's type of service,
 *     whose upper six bits are the DSCP
 * @param partition index in the port's table of partition keys
 * @param lossless whether nothing is dropped on the way for want of room; unsaid: on InfiniBand
 */
public record TravelSettings(
    int serviceLevel, int trafficClass, int partition, Optional<Boolean> lossless) {
  static final ImmutableSet<String> OPTIONS =
      ImmutableSet.of(
          "rdma_service_level", "rdma_traffic_class", "rdma_pkey_index", "rdma_lossless");

  private static final int MAX_SERVICE_LEVEL = 15;
  private static final int MAX_TRAFFIC_CLASS = 255;
  private static final int MAX_PARTITION = (1 << 16) - 1;

  /** Nothing marked, in the default partition. */
  static TravelSettings defaults() {
    return new TravelSettings(0, 0, 0, Optional.empty());
  }

  /** What {@code settings} say, by lower-case name; the rest as in {@link #defaults}. */
  static TravelSettings from(Map<String, String> settings) {
    return new TravelSettings(
        VerbsSettings.number(settings, "rdma_service_level", 0, MAX_SERVICE_LEVEL, 0),
        VerbsSettings.number(settings, "rdma_traffic_class", 0, MAX_TRAFFIC_CLASS, 0),
        VerbsSettings.number(settings, "rdma_pkey_index", 0, MAX_PARTITION, 0),
        Optional.ofNullable(settings.get("rdma_lossless")).map(TravelSettings::isYes));
  }

  private static boolean isYes(String text) {
    return switch (text) {
      case "yes" -> true;
      case "no" -> false;
      default ->
          throw new UsageException("the setting rdma_lossless is yes or no, not '" + text + "'");
    };
  }
}
