// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import com.google.common.collect.Sets;
import io.tombolo.topology.machine.Machine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What differs between two topologies, in lines for people: {@code -} went, {@code +} came, {@code
 * ~} changed. What changed alike on several hosts is told once.
 */
public final class TopologyDiff {
  private static final int MAX_LINES = 1_000;
  private static final int MAX_NAMES = 4;

  private record Change(Machine before, Machine after) {}

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
    Multimap<Change, String> hostsOfChange = LinkedHashMultimap.create();
    for (String id : new TreeSet<>(Sets.union(was.keySet(), is.keySet()))) {
      if (!is.containsKey(id)) {
        lines.add("- host " + was.get(id).name());
      } else if (!was.containsKey(id)) {
        lines.add("+ host " + is.get(id).name());
      } else if (!was.get(id).machine().equals(is.get(id).machine())) {
        Change change = new Change(was.get(id).machine(), is.get(id).machine());
        hostsOfChange.put(change, is.get(id).name());
      }
    }
    hostsOfChange.asMap().forEach((change, hosts) -> machines(names(hosts), change));
  }

  private static Map<String, Host> byId(Topology topology) {
    Map<String, Host> hosts = new LinkedHashMap<>();
    topology.hosts().forEach(host -> hosts.put(host.id(), host));
    return hosts;
  }

  private static String names(Collection<String> hosts) {
    String some = hosts.stream().limit(MAX_NAMES).collect(Collectors.joining(", "));
    return hosts.size() > MAX_NAMES ? some + " and " + (hosts.size() - MAX_NAMES) + " more" : some;
  }

  private void machines(String hosts, Change change) {
    Map<String, Map<String, String>> was = MachineFacts.of(change.before());
    Map<String, Map<String, String>> is = MachineFacts.of(change.after());
    for (String thing : new TreeSet<>(Sets.union(was.keySet(), is.keySet()))) {
      if (!is.containsKey(thing)) {
        lines.add("- " + hosts + ": " + thing);
      } else if (!was.containsKey(thing)) {
        lines.add("+ " + hosts + ": " + thing);
      } else {
        facts(hosts + ": " + thing, was.get(thing), is.get(thing));
      }
    }
  }

  private void facts(String thing, Map<String, String> was, Map<String, String> is) {
    for (String fact : Sets.union(is.keySet(), was.keySet())) {
      String before = was.getOrDefault(fact, "nothing");
      String after = is.getOrDefault(fact, "nothing");
      if (!before.equals(after)) {
        lines.add("~ " + thing + ": " + fact + " was " + before + ", is " + after);
      }
    }
  }

  private void ranks(Topology before, Topology after) {
    if (before.size() != after.size()) {
      lines.add("- " + before.size() + " ranks");
      lines.add("+ " + after.size() + " ranks");
    }
    for (int rank = 0; rank < Math.min(before.size(), after.size()); rank++) {
      String was = place(before, rank);
      String is = place(after, rank);
      if (!was.equals(is)) {
        lines.add("~ rank " + rank + ": was on " + was + ", is on " + is);
      }
    }
  }

  private static String place(Topology topology, int rank) {
    return topology.host(rank).name() + " " + topology.accelerator(rank).id();
  }
}
