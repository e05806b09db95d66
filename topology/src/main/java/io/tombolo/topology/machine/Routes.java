// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The shortest ways between the devices of one machine. A PCI tree has one way between two of its
 * leaves; a vendor's link, where there is one, is shorter than any.
 */
public final class Routes {
  private final Machine machine;
  private final ImmutableMap<String, PciPart> parts;

  /** The ways inside {@code machine}. */
  public Routes(Machine machine) {
    this.machine = machine;
    this.parts = machine.partsById();
  }

  /** The way from device {@code from} to device {@code to}, both ids of this machine. */
  public Route between(String from, String to) {
    if (from.equals(to)) {
      return route(LinkClass.SELF, LinkClass.SELF.megabytesPerSecond(), List.of());
    }
    return vendorLink(from, to).orElseGet(() -> throughPci(part(from), part(to)));
  }

  /** The NIC that {@code device} reaches best, among the rails. */
  public Optional<Nic> nearestNic(String device) {
    return machine.rails().stream()
        .min(Comparator.comparing((Nic nic) -> toNetwork(device, nic)).thenComparing(Nic::id));
  }

  /** The way from {@code device} out through {@code nic}. */
  public Route toNetwork(String device, Nic nic) {
    Route route = between(device, nic.id());
    int width = Math.min(route.megabytesPerSecond(), nic.networkMegabytesPerSecond());
    ImmutableList<String> via =
        ImmutableList.<String>builder().addAll(route.via()).add(nic.name()).build();
    return new Route(route.linkClass(), route.symbol(), width, via);
  }

  private Optional<Route> vendorLink(String from, String to) {
    return machine.vendorLinks().stream()
        .filter(link -> link.joins(from, to))
        .max(Comparator.comparing(VendorLink::megabytesPerSecond))
        .map(
            link ->
                new Route(
                    LinkClass.VENDOR,
                    link.symbol(),
                    link.megabytesPerSecond(),
                    ImmutableList.of()));
  }

  private Route throughPci(PciPart from, PciPart to) {
    List<PciPart> up = withAncestors(from);
    List<PciPart> down = withAncestors(to);
    Optional<PciPart> meeting =
        up.stream().filter(part -> part instanceof Bridge && down.contains(part)).findFirst();
    LinkClass linkClass = meeting.map(Routes::meetingClass).orElseGet(() -> apart(from, to));
    meeting.ifPresent(bridge -> cutBelow(up, bridge));
    meeting.ifPresent(bridge -> cutBelow(down, bridge));
    List<String> via = new ArrayList<>();
    up.subList(1, up.size()).forEach(part -> via.add(part.id()));
    meeting.ifPresent(bridge -> via.add(bridge.id()));
    for (int i = down.size() - 1; i > 0; i--) {
      via.add(down.get(i).id());
    }
    return route(linkClass, Math.min(narrowest(up), narrowest(down)), via);
  }

  private static LinkClass meetingClass(PciPart meeting) {
    return meeting.parent().isEmpty() ? LinkClass.HOST_BRIDGE : LinkClass.SWITCH;
  }

  private static LinkClass apart(PciPart from, PciPart to) {
    return from.numaNode() >= 0 && from.numaNode() == to.numaNode()
        ? LinkClass.NUMA
        : LinkClass.SYSTEM;
  }

  private static void cutBelow(List<PciPart> way, PciPart bridge) {
    way.subList(way.indexOf(bridge), way.size()).clear();
  }

  private static int narrowest(List<PciPart> way) {
    return way.stream()
        .mapToInt(PciPart::megabytesPerSecond)
        .filter(width -> width > 0)
        .min()
        .orElse(Integer.MAX_VALUE);
  }

  private static Route route(LinkClass linkClass, int width, List<String> via) {
    boolean leavesPci = linkClass == LinkClass.SYSTEM;
    int bounded =
        width == Integer.MAX_VALUE || leavesPci
            ? Math.min(width, linkClass.megabytesPerSecond())
            : width;
    return new Route(linkClass, linkClass.symbol(), bounded, ImmutableList.copyOf(via));
  }

  private List<PciPart> withAncestors(PciPart part) {
    List<PciPart> way = new ArrayList<>();
    for (PciPart at = part; at != null; at = parts.get(at.parent())) {
      way.add(at);
    }
    return way;
  }

  private PciPart part(String id) {
    PciPart part = parts.get(id);
    if (part == null) {
      throw new UsageException("machine '" + machine.model() + "' has no device '" + id + "'");
    }
    return part;
  }
}
