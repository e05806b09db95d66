// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.detect.SystemFiles;
import io.tombolo.topology.machine.Nic;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What RDMA devices can do besides being up: which addresses they have, whether device memory can
 * be registered, and what keeps Ethernet from losing packets. A pure function of the files.
 */
final class RdmaChecks {
  private static final String DEVICES = "/sys/class/infiniband/";
  private static final int MAX_GIDS = 8;
  private static final Pattern KERNEL = Pattern.compile("(\\d{1,3})\\.(\\d{1,3}).*");

  /** RDMA core takes dma-bufs since Linux 5.12. */
  private static final int DMA_BUF_MAJOR = 5;

  private static final int DMA_BUF_MINOR = 12;

  private final SystemFiles files;

  RdmaChecks(SystemFiles files) {
    this.files = files;
  }

  /** The findings about {@code nic}, an RDMA device. */
  ImmutableList<Finding> findings(Nic nic) {
    ImmutableList.Builder<Finding> findings = ImmutableList.builder();
    nic.ports().forEach(port -> findings.add(gids(nic.name(), port.number())));
    if (nic.ports().stream().anyMatch(port -> port.linkLayer().equals("Ethernet"))) {
      findings.add(
          Finding.good(
              "rdma",
              nic.name() + " PFC",
              "RoCE loses packets unless switch and NIC pause: dcb pfc show dev, or mlnx_qos -i"));
    }
    return findings.build();
  }

  /** Whether NICs can reach device memory. */
  Finding deviceMemory() {
    List<String> ways = new ArrayList<>();
    for (String module : List.of("nvidia_peermem", "ib_peer_mem", "amdgpu", "habanalabs")) {
      if (files.resolve("/sys/module/" + module).isPresent()) {
        ways.add(module);
      }
    }
    ways.addAll(files.list("/sys/kernel/mm/memory_peers"));
    Matcher kernel = KERNEL.matcher(files.read("/proc/sys/kernel/osrelease").orElse(""));
    if (kernel.matches() && takesDmaBufs(kernel)) {
      ways.add("dma-buf (kernel " + kernel.group(1) + "." + kernel.group(2) + ")");
    }
    return ways.isEmpty()
        ? Finding.poor(
            "rdma",
            "device memory",
            "no peer-memory module, kernel before 5.12",
            "data goes through host memory; modprobe nvidia_peermem, or a newer kernel")
        : Finding.good("rdma", "device memory", String.join(", ", ways));
  }

  private static boolean takesDmaBufs(Matcher kernel) {
    int major = Integer.parseInt(kernel.group(1));
    int minor = Integer.parseInt(kernel.group(2));
    return major > DMA_BUF_MAJOR || (major == DMA_BUF_MAJOR && minor >= DMA_BUF_MINOR);
  }

  private Finding gids(String device, int port) {
    String folder = DEVICES + device + "/ports/" + port;
    List<String> table = new ArrayList<>();
    for (String index : files.list(folder + "/gids")) {
      String gid = files.read(folder + "/gids/" + index).orElse("");
      if (!gid.isEmpty() && !gid.matches("[0:]+")) {
        String type = files.read(folder + "/gid_attrs/types/" + index).orElse("");
        table.add(index + " " + gid + (type.isEmpty() ? "" : " (" + type + ")"));
      }
    }
    String name = device + " port " + port + " GIDs";
    if (table.isEmpty()) {
      return Finding.good("rdma", name, "none: the interface has no address");
    }
    String more = table.size() > MAX_GIDS ? ", … (" + table.size() + ")" : "";
    List<String> some = table.subList(0, Math.min(MAX_GIDS, table.size()));
    return Finding.good("rdma", name, String.join(", ", some) + more);
  }
}
