// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.rails.RailsFabric;
import java.util.Map;
import java.util.Optional;

/**
 * Which RDMA device a process uses, and how.
 *
 * @param library libibverbs, or what stands in for it: a file, or a name for the loader
 * @param device the device's name; {@code ""} for the first one with an active port
 * @param near devices from the nearest to this process's device on; where {@code device} is {@code
 *     ""}, these are tried first, in this order
 * @param gidIndex which entry of the port's GID table; {@link #ANY_GID} to choose by rule
 * @param travel how its packets travel
 * @param rails NICs that a channel uses at once, at most; only one where {@code device} names it
 * @param paths queue pairs of a channel over {@code uc}, 1 to 4: each takes a way of its own
 *     through the network
 * @param faults what shall go wrong on purpose with what this process sends over {@code uc} and
 *     {@code ud}
 */
public record VerbsSettings(
    String library,
    String device,
    ImmutableList<String> near,
    int gidIndex,
    TravelSettings travel,
    int rails,
    int paths,
    Optional<Faults> faults) {
  /** Choose the GID by rule: RoCE v2 before v1, IPv4 before IPv6, routable before link-local. */
  public static final int ANY_GID = -1;

  /** The options that say which device is used, and how. */
  static final ImmutableSet<String> OPTIONS =
      ImmutableSet.<String>builder()
          .add("ibverbs", "rdma_device", "rdma_near", "rdma_gid_index", "rdma_rails")
          .addAll(TravelSettings.OPTIONS)
          .build();

  /** The option that says how many queue pairs a channel over {@code uc} has. */
  static final String PATHS = "rdma_paths";

  /** The name by which the loader knows libibverbs. */
  private static final String LIBRARY = "libibverbs.so.1";

  private static final int MAX_GID = 255;
  private static final Splitter NAMES = Splitter.on(',').trimResults().omitEmptyStrings();

  /** The system's library, and the first device with an active port. */
  public static VerbsSettings defaults() {
    return new VerbsSettings(
        LIBRARY,
        "",
        ImmutableList.of(),
        ANY_GID,
        TravelSettings.defaults(),
        1,
        1,
        Optional.empty());
  }

  /**
   * What {@code settings} say, by lower-case name: {@code ibverbs}, {@code rdma_device}, {@code
   * rdma_near}, {@code rdma_gid_index}, {@code rdma_rails}, {@code rdma_paths}, {@code faults}, and
   * those of {@link TravelSettings}; the rest as in {@link #defaults}.
   *
   * @throws UsageException naming the variable whose number makes no sense
   */
  public static VerbsSettings from(Map<String, String> settings) {
    return new VerbsSettings(
        settings.getOrDefault("ibverbs", LIBRARY),
        settings.getOrDefault("rdma_device", ""),
        ImmutableList.copyOf(NAMES.split(settings.getOrDefault("rdma_near", ""))),
        number(settings, "rdma_gid_index", 0, MAX_GID, ANY_GID),
        TravelSettings.from(settings),
        number(settings, "rdma_rails", 1, RailsFabric.MAX_RAILS, 1),
        number(settings, PATHS, 1, PairCard.MAX_PAIRS, 1),
        Faults.in(settings));
  }

  static int number(Map<String, String> settings, String name, int least, int most, int otherwise) {
    String text = settings.get(name);
    if (text == null) {
      return otherwise;
    }
    Integer number = Ints.tryParse(text);
    if (number == null || number < least || number > most) {
      throw new UsageException(
          "the setting "
              + name
              + " must be a number from "
              + least
              + " to "
              + most
              + "; it is '"
              + text
              + "'");
    }
    return number;
  }

  /** These settings for the device called {@code name}. */
  public VerbsSettings withDevice(String name) {
    return new VerbsSettings(library, name, near, gidIndex, travel, rails, paths, faults);
  }

  /** These settings with so many queue pairs per channel. */
  public VerbsSettings withPaths(int count) {
    return new VerbsSettings(library, device, near, gidIndex, travel, rails, count, faults);
  }

  /** These settings, and what shall go wrong. */
  public VerbsSettings withFaults(Faults wanted) {
    return new VerbsSettings(
        library, device, near, gidIndex, travel, rails, paths, Optional.of(wanted));
  }
}
