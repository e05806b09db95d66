// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.env;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.Vendor;
import io.tombolo.topology.launch.GaudiLaunch;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Sourced;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** What a process is given, computed from its environment. Pure. */
final class ChildEnvironment {
  /** Gaudi's software is configured by variables alone; no library of it is opened here. */
  static final String GAUDI = "gaudi";

  private final Map<String, String> present;
  private final ImmutableList.Builder<Exported> exported = ImmutableList.builder();

  private ChildEnvironment(Map<String, String> present) {
    this.present = present;
  }

  /** The launcher's word for this process, as torch's variables. */
  static ImmutableList<Exported> launched(Map<String, String> present) {
    ChildEnvironment child = new ChildEnvironment(present);
    LaunchEnvironment launch = LaunchEnvironment.of(present);
    child.add("RANK", launch.rank());
    child.add("WORLD_SIZE", launch.worldSize());
    child.add("LOCAL_RANK", launch.localRank());
    child.add("LOCAL_WORLD_SIZE", launch.localSize());
    if (launch.launcher().isPresent()) {
      child.add("MASTER_ADDR", launch.masterAddress());
      child.add("MASTER_PORT", launch.masterPort());
    }
    launch.visibleDevices().values().stream()
        .flatMap(ImmutableList::stream)
        .distinct()
        .forEach(variable -> child.add(variable.origin(), Optional.of(variable)));
    return child.exported.build();
  }

  /** What {@code vendor}'s libraries are to find. */
  static ImmutableList<Exported> of(Vendor vendor, Map<String, String> present) {
    ChildEnvironment child = new ChildEnvironment(present);
    vendor
        .environment()
        .changes(present::containsKey)
        .forEach((name, value) -> child.add(name, value, "vendor " + vendor.name()));
    return child.exported.build();
  }

  /** What Gaudi's initialize_distributed_hpu() would leave behind. */
  static ImmutableList<Exported> gaudi(Map<String, String> present) {
    ChildEnvironment child = new ChildEnvironment(present);
    GaudiLaunch launch =
        GaudiLaunch.initialize(
            present, OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
    for (String name : ImmutableList.of("HLS_MODULE_ID", "ID")) {
      Optional.ofNullable(launch.environment().get(name))
          .ifPresent(value -> child.add(name, value, "as initialize_distributed_hpu() sets it"));
    }
    return child.exported.build();
  }

  private void add(String name, Optional<? extends Sourced<?>> value) {
    value.ifPresent(each -> add(name, each.value().toString(), each.origin()));
  }

  private void add(String name, String value, String origin) {
    String before = present.get(name);
    boolean replaces = before != null && !before.strip().equals(value);
    exported.add(new Exported(name, value, origin + (replaces ? ", replaces " + before : "")));
  }
}
