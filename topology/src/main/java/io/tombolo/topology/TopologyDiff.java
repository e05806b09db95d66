package io.tombolo.topology;

import com.google.common.collect.Sets;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.PciPart;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/** What differs between two topologies, in lines for people: {@code -} was, {@code +} is. */
public final class TopologyDiff {
  private static final int MAX_LINES = 1_000;

  private final List<String> lines = new ArrayList<>();

  private TopologyDiff() {}

  /** The differences; empty if there are none. At most a thousand, then a line that says so. */
  public static List<String> between(Topology before, Topology after) {
    TopologyDiff diff = new TopologyDiff();
    diff.hosts(before, after);
    diff.ranks(before, after);
    if (diff.lines.size() <= MAX_LINES) {
      return diff.lines;
    }
    List<String> shown = new ArrayList<>(diff.lines.subList(0, MAX_LINES));
    shown.add("… and " + (diff.lines.size() - MAX_LINES) + " more differences");
    return shown;
  }

  private void hosts(Topology before, Topology after) {
    Map<String, Host> was = byId(before);
    Map<String, Host> is = byId(after);
    for (String id : new TreeSet<>(Sets.union(was.keySet(), is.keySet()))) {
      if (!is.containsKey(id)) {
        lines.add("- host " + was.get(id).name());
      } else if (!was.containsKey(id)) {
        lines.add("+ host " + is.get(id).name());
      } else {
        machines(is.get(id).name(), was.get(id).machine(), is.get(id).machine());
      }
    }
  }

  private static Map<String, Host> byId(Topology topology) {
    Map<String, Host> hosts = new LinkedHashMap<>();
    topology.hosts().forEach(host -> hosts.put(host.id(), host));
    return hosts;
  }

  private void machines(String host, Machine before, Machine after) {
    if (!before.equals(after)) {
      values(host, things(before), things(after));
    }
  }

  private static Map<String, Object> things(Machine machine) {
    Map<String, Object> things = new TreeMap<>();
    things.put("environment", machine.environment());
    for (NumaNode node : machine.numaNodes()) {
      things.put("NUMA node " + node.id(), node);
    }
    machine.parts().forEach(part -> things.put(name(part), part));
    for (VendorLink link : machine.vendorLinks()) {
      things.put("link " + link.a() + " – " + link.b(), link);
    }
    return things;
  }

  private static String name(PciPart part) {
    return part.getClass().getSimpleName() + " " + part.id();
  }

  private void ranks(Topology before, Topology after) {
    if (before.size() != after.size()) {
      lines.add("- " + before.size() + " ranks");
      lines.add("+ " + after.size() + " ranks");
    }
    for (int rank = 0; rank < Math.min(before.size(), after.size()); rank++) {
      if (!before.site(rank).equals(after.site(rank))) {
        lines.add("- " + before.site(rank));
        lines.add("+ " + after.site(rank));
      }
    }
  }

  private void values(String host, Map<String, Object> before, Map<String, Object> after) {
    for (String name : new TreeSet<>(Sets.union(before.keySet(), after.keySet()))) {
      Object was = before.get(name);
      Object is = after.get(name);
      if (!Objects.equals(was, is)) {
        if (was != null) {
          lines.add("- " + host + ": " + was);
        }
        if (is != null) {
          lines.add("+ " + host + ": " + is);
        }
      }
    }
  }
}
