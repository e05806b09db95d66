// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.cli.console.Figures;
import io.tombolo.topology.Host;
import io.tombolo.topology.detect.SystemFiles;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Port;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the kernel says about this process and this host. A pure function of the files. */
final class HostChecks {
  /** Those that the vDSO reads without a system call. */
  private static final ImmutableSet<String> FAST_CLOCKS =
      ImmutableSet.of("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter");

  private static final long SHARED_MEMORY_BYTES = 1L << 30;
  private static final Pattern LOCKED =
      Pattern.compile("(?m)^Max locked memory\\s+(unlimited|\\d{1,19})");
  private static final Pattern FREE_HUGE = Pattern.compile("(?m)^HugePages_Free:\\s+(\\d{1,12})");
  private static final Pattern HUGE_SIZE = Pattern.compile("(?m)^Hugepagesize:\\s+(\\d{1,9}) kB");

  private final SystemFiles files;
  private final Host host;

  HostChecks(SystemFiles files, Host host) {
    this.files = files;
    this.host = host;
  }

  /** All findings; {@code sharedMemoryFreeBytes} is the room in /dev/shm, if it exists. */
  ImmutableList<Finding> findings(Optional<Long> sharedMemoryFreeBytes) {
    ImmutableList.Builder<Finding> findings = ImmutableList.builder();
    Machine machine = host.machine();
    findings.add(Finding.good("host", "name", host.name() + ", " + machine.environment()));
    findings.add(Finding.good("host", "machine", machine.model()));
    findings.add(Finding.good("host", "NUMA", numa(machine)));
    findings.add(lockedMemory());
    findings.add(sharedMemory(sharedMemoryFreeBytes));
    findings.add(hugePages());
    findings.add(clock());
    RdmaChecks rdma = new RdmaChecks(files);
    for (Nic nic : machine.nics().stream().filter(Nic::rdma).toList()) {
      findings.add(rdma(nic)).addAll(rdma.findings(nic));
    }
    if (machine.nics().stream().noneMatch(Nic::rdma)) {
      findings.add(
          Finding.poor(
              "rdma", "devices", "none", "jobs between hosts use tcp; load the NIC's RDMA driver"));
    } else {
      findings.add(rdma.deviceMemory());
    }
    return findings.build();
  }

  private static String numa(Machine machine) {
    return machine.numaNodes().stream()
        .map(node -> "node " + node.id() + ": CPUs " + node.cpus())
        .collect(Collectors.joining("; "));
  }

  private Finding lockedMemory() {
    Matcher limit = LOCKED.matcher(files.read("/proc/self/limits").orElse(""));
    String name = "locked memory";
    if (!limit.find()) {
      return Finding.poor("limits", name, "unknown", "mount /proc");
    }
    return limit.group(1).equals("unlimited")
        ? Finding.good("limits", name, "unlimited")
        : Finding.poor(
            "limits",
            name,
            Figures.bytes(Long.parseLong(limit.group(1))),
            "pinned and registered memory counts against it: ulimit -l unlimited");
  }

  private static Finding sharedMemory(Optional<Long> freeBytes) {
    String name = "/dev/shm";
    if (freeBytes.isEmpty()) {
      return Finding.missing("limits", name, "not there", "mount a tmpfs on /dev/shm");
    }
    String value = Figures.bytes(freeBytes.get()) + " free";
    return freeBytes.get() >= SHARED_MEMORY_BYTES
        ? Finding.good("limits", name, value)
        : Finding.poor(
            "limits", name, value, "vendors' libraries want more: --shm-size=8g for a container");
  }

  private Finding hugePages() {
    String memory = files.read("/proc/meminfo").orElse("");
    Matcher free = FREE_HUGE.matcher(memory);
    Matcher size = HUGE_SIZE.matcher(memory);
    String pages = free.find() ? free.group(1) : "0";
    String each = size.find() ? Figures.bytes(Long.parseLong(size.group(1)) * 1024) : "?";
    return Finding.good("limits", "huge pages", pages + " free of " + each);
  }

  /** Deadlines and measurements read the clock all the time. */
  private Finding clock() {
    String source =
        files
            .read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .orElse("unknown");
    return FAST_CLOCKS.contains(source) || source.equals("unknown")
        ? Finding.good("host", "clock", source)
        : Finding.poor(
            "host", "clock", source, "each look at it is a system call: boot with clocksource=tsc");
  }

  private static Finding rdma(Nic nic) {
    String value = nic.ports().stream().map(HostChecks::describe).collect(Collectors.joining("; "));
    return nic.isUp()
        ? Finding.good("rdma", nic.name(), value)
        : Finding.poor("rdma", nic.name(), value, "no port is active: check cable and switch");
  }

  private static String describe(Port port) {
    return "port "
        + port.number()
        + " "
        + (port.active() ? "active" : "down")
        + ", "
        + port.linkLayer()
        + ", "
        + port.megabytesPerSecond() * 8L / 1000
        + " Gb/s, "
        + port.gids().size()
        + " GIDs";
  }
}
