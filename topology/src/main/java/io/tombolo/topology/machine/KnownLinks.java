// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Links between accelerators that follow from which boards are in a host. */
public final class KnownLinks {
  /** Links grow with the square of this. */
  private static final int MAX_ACCELERATORS = 1024;

  private KnownLinks() {}

  /** Refuses a host with more accelerators than any has, before links between them are made. */
  public static void checkFew(List<Accelerator> accelerators) {
    if (accelerators.size() > MAX_ACCELERATORS) {
      throw new UsageException(
          "a host with " + accelerators.size() + " accelerators; at most " + MAX_ACCELERATORS);
    }
  }

  /**
   * The links between {@code accelerators} whose model is a PCI device id of a known board; {@code
   * switchIds} are the PCI device ids of the switches seen beside them.
   */
  public static List<VendorLink> deduce(
      List<Accelerator> accelerators, Collection<String> switchIds) {
    checkFew(accelerators);
    List<VendorLink> links = new ArrayList<>();
    byKind(accelerators)
        .forEach(
            members ->
                VendorFabric.ofDevice(members.get(0).vendor(), members.get(0).model())
                    .filter(fabric -> isComplete(fabric, members.size(), switchIds))
                    .ifPresent(fabric -> links.addAll(fabric.allToAll(members, "known board"))));
    return links;
  }

  /** What one link of this board carries, one direction, in megabytes per second. */
  public static OptionalInt megabytesPerSecond(Accelerator accelerator) {
    return VendorFabric.ofDevice(accelerator.vendor(), accelerator.model())
        .map(fabric -> OptionalInt.of(fabric.megabytesPerSecond()))
        .orElse(OptionalInt.empty());
  }

  /** What accelerators of these vendors would be joined by in a host of today. */
  public static List<VendorLink> simulate(List<Accelerator> accelerators) {
    List<VendorLink> links = new ArrayList<>();
    byKind(accelerators)
        .forEach(
            members ->
                VendorFabric.ofVendor(members.get(0).vendor())
                    .ifPresent(fabric -> links.addAll(fabric.allToAll(members, "simulated"))));
    return links;
  }

  private static boolean isComplete(VendorFabric fabric, int size, Collection<String> switchIds) {
    return (fabric.hostSize() == 0 || fabric.hostSize() == size)
        && (fabric.switchId().isEmpty() || switchIds.contains(fabric.switchId()));
  }

  private static Collection<List<Accelerator>> byKind(List<Accelerator> accelerators) {
    Map<String, List<Accelerator>> groups =
        accelerators.stream()
            .collect(
                Collectors.groupingBy(
                    each -> each.vendor() + " " + each.model(), TreeMap::new, Collectors.toList()));
    return groups.values();
  }
}
