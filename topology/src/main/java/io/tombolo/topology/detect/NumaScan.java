// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.CpuSet;
import io.tombolo.topology.machine.NumaNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** NUMA nodes, from {@code /sys/devices/system/node}; one that has everything if there are none. */
final class NumaScan {
  private static final String NODES = "/sys/devices/system/node";
  private static final String CPUS = "/sys/devices/system/cpu";
  private static final Pattern NODE = Pattern.compile("node(\\d{1,5})");
  private static final Pattern MEMORY = Pattern.compile("MemTotal:\\s*(\\d{1,15}) kB");
  private static final int BYTES_PER_KIB = 1024;

  private final SystemFiles files;

  NumaScan(SystemFiles files) {
    this.files = files;
  }

  ImmutableList<NumaNode> nodes() {
    ImmutableList<NumaNode> nodes =
        files.list(NODES).stream()
            .map(NODE::matcher)
            .filter(Matcher::matches)
            .map(matcher -> Integer.valueOf(matcher.group(1)))
            .sorted()
            .map(this::node)
            .collect(ImmutableList.toImmutableList());
    return nodes.isEmpty() ? ImmutableList.of(whole()) : nodes;
  }

  private NumaNode node(int id) {
    String folder = NODES + "/node" + id;
    CpuSet cpus = CpuSet.ofList(files.read(folder + "/cpulist").orElse(""));
    return new NumaNode(id, socket(cpus), cpus, memoryBytes(folder + "/meminfo"));
  }

  private NumaNode whole() {
    CpuSet cpus = CpuSet.ofList(files.read(CPUS + "/online").orElse(""));
    return new NumaNode(0, socket(cpus), cpus, memoryBytes("/proc/meminfo"));
  }

  private int socket(CpuSet cpus) {
    return files
        .read(CPUS + "/cpu" + cpus.first() + "/topology/physical_package_id")
        .filter(text -> text.matches("\\d{1,5}"))
        .map(Integer::valueOf)
        .orElse(-1);
  }

  private long memoryBytes(String path) {
    Matcher matcher = MEMORY.matcher(files.read(path).orElse(""));
    return matcher.find() ? Long.parseLong(matcher.group(1)) * BYTES_PER_KIB : 0;
  }
}
