// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import com.google.common.collect.ImmutableMap;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.PciPart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the devices of a machine stand in a picture, from left to right: what hangs under one
 * bridge stands together, accelerators above NICs, and NUMA nodes side by side.
 */
final class Arrangement {

  /** Devices below one bridge, and the first of the slots they take. */
  record Group(int numaNode, List<PciPart> upper, List<PciPart> lower, int firstSlot) {
    int slots() {
      return Math.max(upper.size(), lower.size());
    }
  }

  private final List<Group> groups = new ArrayList<>();
  private final Map<String, Double> centreOf = new HashMap<>();
  private final Map<String, Double> strideOf = new HashMap<>();
  private int slots;

  Arrangement(Machine machine) {
    ImmutableMap<String, PciPart> parts = machine.partsById();
    Map<String, List<PciPart>> byBridge = new LinkedHashMap<>();
    machine
        .parts()
        .filter(part -> !(part instanceof Bridge))
        .sorted(Comparator.comparingInt(PciPart::numaNode))
        .forEach(
            part ->
                byBridge
                    .computeIfAbsent(groupKey(part, parts), key -> new ArrayList<>())
                    .add(part));
    byBridge.values().forEach(this::place);
  }

  /** The bridge right below the host bridge; else the host bridge; else the NUMA node. */
  private static String groupKey(PciPart device, Map<String, PciPart> parts) {
    String key = "numa " + device.numaNode();
    for (PciPart at = parts.get(device.parent()); at != null; at = parts.get(at.parent())) {
      boolean highest = at.parent().isEmpty();
      key = highest && at != parts.get(device.parent()) ? key : at.id();
    }
    return key;
  }

  private void place(List<PciPart> members) {
    List<PciPart> lower = members.stream().filter(part -> part instanceof Nic).toList();
    List<PciPart> upper = members.stream().filter(part -> !(part instanceof Nic)).toList();
    Group group = new Group(members.get(0).numaNode(), upper, lower, slots);
    groups.add(group);
    spread(upper, group);
    spread(lower, group);
    slots += group.slots();
  }

  private void spread(List<PciPart> row, Group group) {
    double stride = (double) group.slots() / Math.max(1, row.size());
    for (int i = 0; i < row.size(); i++) {
      centreOf.put(row.get(i).id(), group.firstSlot() + (i + 0.5) * stride);
      strideOf.put(row.get(i).id(), stride);
    }
  }

  List<Group> groups() {
    return groups;
  }

  int slots() {
    return slots;
  }

  /** Where the middle of a device is, in slots from the left. */
  double centreOf(String device) {
    return centreOf.get(device);
  }

  /** How many slots it is to the next device of the same row. */
  double strideOf(String device) {
    return strideOf.get(device);
  }
}
