// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.HostId;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.environment.Build;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.topology.machine.CpuSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the ranks of a job that need not exist would publish, as far as plans depend on it. A vendor
 * that is known here has the library that it declares; any other name has one that can do
 * everything. Nothing is known of NICs, and each vendor's devices are of one architecture.
 */
public final class ImaginedRanks {
  private static final Capabilities EVERYTHING =
      Capabilities.of(
          EnumSet.allOf(Primitive.class),
          EnumSet.allOf(DataType.class),
          EnumSet.allOf(ReduceOp.class),
          EnumSet.of(Capabilities.Flag.GROUP));

  private ImaginedRanks() {}

  /** The ranks of {@code spec}, each vendor on a host of its own. */
  public static List<RankDescriptor> apart(ClusterSpec spec) {
    return of(spec, vendor -> "host of " + vendor);
  }

  /** The ranks of {@code spec}, all on this host, as {@link JobLauncher} starts them. */
  public static List<RankDescriptor> onThisHost(ClusterSpec spec) {
    return of(spec, vendor -> HostId.local());
  }

  /** What to tell people of vendors in {@code spec} that are not known here: it may be a slip. */
  public static Optional<String> unknownVendors(ClusterSpec spec) {
    Set<String> known = Vendors.all().stream().map(Vendor::name).collect(Collectors.toSet());
    List<String> unknown =
        spec.vendors().stream().distinct().filter(name -> !known.contains(name)).toList();
    return unknown.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "nobody knows the vendors "
                + String.join(", ", unknown)
                + " here: planned as if their libraries could do everything");
  }

  private static List<RankDescriptor> of(ClusterSpec spec, UnaryOperator<String> hostOf) {
    Map<String, Capabilities> capabilities = capabilities(spec);
    return IntStream.range(0, spec.size())
        .mapToObj(
            rank -> {
              String vendor = spec.vendors().get(rank);
              return descriptor(rank, vendor, hostOf.apply(vendor), capabilities.get(vendor));
            })
        .toList();
  }

  private static Map<String, Capabilities> capabilities(ClusterSpec spec) {
    Map<String, Vendor> known = Maps.uniqueIndex(Vendors.all(), Vendor::name);
    return Maps.toMap(
        ImmutableSet.copyOf(spec.vendors()),
        vendor -> known.containsKey(vendor) ? known.get(vendor).declared() : EVERYTHING);
  }

  private static RankDescriptor descriptor(
      int rank, String vendor, String hostId, Capabilities capabilities) {
    return new RankDescriptor(
        Equipment.PROTOCOL,
        Equipment.PROTOCOL,
        Build.version(),
        rank,
        vendor,
        "imagined",
        "",
        hostId,
        0,
        CpuSet.ofList(""),
        capabilities,
        ImmutableMap.of(),
        ImmutableList.of(),
        ImmutableSortedMap.of());
  }
}
