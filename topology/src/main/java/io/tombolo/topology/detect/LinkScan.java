// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Table;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.KnownLinks;
import io.tombolo.topology.machine.PciIds;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Links between accelerators: those that the kernel tells; then those that a vendor's program
 * prints; then, for pairs that nobody spoke of, those that follow from the boards. GPUs that are
 * cut into instances have none, see {@link MigScan}.
 */
final class LinkScan {
  private final SystemFiles files;
  private final List<Accelerator> accelerators;
  private final Set<String> cut;
  private final List<VendorLink> links = new ArrayList<>();
  private final List<LinkSource> sources = new ArrayList<>();

  LinkScan(SystemFiles files, PciScan pci, List<Accelerator> accelerators) {
    this.files = files;
    this.accelerators = accelerators;
    MigScan mig = new MigScan(files);
    this.cut =
        accelerators.stream().map(Accelerator::id).filter(mig::isCut).collect(Collectors.toSet());
    Set<String> ids = accelerators.stream().map(Accelerator::id).collect(Collectors.toSet());
    addMissing(new XgmiScan(files).links(ids));
    for (LinkTool tool : LinkTool.ALL) {
      addMissing(asked(tool));
    }
    addMissing(KnownLinks.deduce(accelerators, switchIds(pci)));
    links.removeIf(link -> cut.contains(link.a()) || cut.contains(link.b()));
    for (LinkKind kind : LinkKind.ALL) {
      source(kind).ifPresent(sources::add);
    }
  }

  /** The links, each once. */
  ImmutableList<VendorLink> links() {
    return ImmutableList.copyOf(links);
  }

  /** For each vendor here whose accelerators may have links. */
  ImmutableList<LinkSource> sources() {
    return ImmutableList.copyOf(sources);
  }

  private void addMissing(List<VendorLink> found) {
    for (VendorLink link : found) {
      if (links.stream().noneMatch(known -> known.joins(link.a(), link.b()))) {
        links.add(link);
      }
    }
  }

  private List<Accelerator> of(String vendor) {
    return accelerators.stream().filter(each -> each.vendor().equals(vendor)).toList();
  }

  /** A program counts the devices of its vendor in order of PCI addresses, as the kernel does. */
  private List<VendorLink> asked(LinkTool tool) {
    List<Accelerator> members = of(tool.vendor());
    if (members.size() < 2 || links.stream().anyMatch(link -> isOf(link, members))) {
      return List.of();
    }
    Optional<LinkMatrix> matrix = tool.matrix(files);
    if (matrix.isEmpty() || matrix.get().size() != members.size()) {
      return List.of();
    }
    List<VendorLink> found = new ArrayList<>();
    for (Table.Cell<Integer, Integer, Integer> cell : matrix.get().links().cellSet()) {
      found.add(
          tool.link(
              members.get(cell.getRowKey()), members.get(cell.getColumnKey()), cell.getValue()));
    }
    return found;
  }

  private static boolean isOf(VendorLink link, List<Accelerator> members) {
    return members.stream().anyMatch(each -> each.id().equals(link.a()));
  }

  private Optional<LinkSource> source(LinkKind kind) {
    List<Accelerator> members =
        of(kind.vendor()).stream().filter(each -> !cut.contains(each.id())).toList();
    if (members.size() < 2 || !kind.isPossible(files, members)) {
      return Optional.empty();
    }
    String from =
        links.stream()
            .filter(link -> isOf(link, members))
            .map(VendorLink::source)
            .distinct()
            .collect(Collectors.joining(", "));
    return Optional.of(new LinkSource(kind.name(), from, from.isEmpty() ? kind.fix() : ""));
  }

  private static List<String> switchIds(PciScan pci) {
    return pci.functions().values().stream()
        .filter(function -> PciIds.isOtherBridge(function.classId()))
        .map(PciFunction::model)
        .toList();
  }
}
