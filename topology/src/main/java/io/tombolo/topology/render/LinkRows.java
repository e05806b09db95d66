// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.List;

/** The vendors' links above the accelerators they join; side by side where there is room. */
final class LinkRows {

  /**
   * One vendor's links as a bar.
   *
   * @param row from above
   * @param link one of them
   * @param centres where its accelerators stand, in slots, ascending
   */
  record Bar(int row, VendorLink link, List<Double> centres) {
    double first() {
      return centres.get(0);
    }

    double last() {
      return centres.get(centres.size() - 1);
    }

    private boolean overlaps(Bar other) {
      return first() <= other.last() && other.first() <= last();
    }
  }

  private final List<Bar> bars = new ArrayList<>();

  LinkRows(Machine machine, Arrangement placement) {
    machine.accelerators().stream()
        .map(Accelerator::vendor)
        .distinct()
        .forEach(vendor -> add(vendor, machine, placement));
  }

  private void add(String vendor, Machine machine, Arrangement placement) {
    List<Accelerator> members =
        machine.accelerators().stream().filter(each -> each.vendor().equals(vendor)).toList();
    List<Double> centres =
        members.stream().map(each -> placement.centreOf(each.id())).sorted().toList();
    machine.vendorLinks().stream()
        .filter(link -> members.stream().anyMatch(each -> link.joins(each.id(), link.b())))
        .findFirst()
        .ifPresent(link -> place(link, centres));
  }

  private void place(VendorLink link, List<Double> centres) {
    int row = 0;
    while (isTaken(new Bar(row, link, centres))) {
      row++;
    }
    bars.add(new Bar(row, link, centres));
  }

  private boolean isTaken(Bar bar) {
    return bars.stream().anyMatch(other -> other.row() == bar.row() && other.overlaps(bar));
  }

  List<Bar> bars() {
    return bars;
  }

  int rows() {
    return bars.stream().mapToInt(Bar::row).max().orElse(-1) + 1;
  }
}
