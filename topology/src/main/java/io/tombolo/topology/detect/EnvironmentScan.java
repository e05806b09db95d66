// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether this is a container, a virtual machine or neither; for people. */
final class EnvironmentScan {
  private static final String DMI = "/sys/class/dmi/id/";

  private final SystemFiles files;

  EnvironmentScan(SystemFiles files) {
    this.files = files;
  }

  String environment() {
    String what =
        Stream.of(container(), virtualMachine())
            .flatMap(Optional::stream)
            .collect(Collectors.joining(" in a "));
    return what.isEmpty() ? "bare metal" : what;
  }

  /** The maker and name of the machine, as its firmware tells, or its CPU. */
  String model() {
    String product =
        Stream.of("sys_vendor", "product_name")
            .flatMap(name -> files.read(DMI + name).stream())
            .collect(Collectors.joining(" "));
    return product.isBlank() ? cpuInfo("model name").orElse("machine") : product;
  }

  private Optional<String> container() {
    if (files.read("/.dockerenv").isPresent()) {
      return Optional.of("container (docker)");
    }
    if (files.read("/run/.containerenv").isPresent()) {
      return Optional.of("container (podman)");
    }
    String groups = files.read("/proc/1/cgroup").orElse("");
    return Stream.of("kubepods", "docker", "lxc", "slurmstepd-container")
        .filter(groups::contains)
        .findFirst()
        .map(name -> "container (" + name + ")");
  }

  private Optional<String> virtualMachine() {
    boolean hypervisor = cpuInfo("flags").orElse("").contains("hypervisor");
    String maker = files.read(DMI + "sys_vendor").orElse("");
    return hypervisor
        ? Optional.of("virtual machine" + (maker.isEmpty() ? "" : " (" + maker + ")"))
        : Optional.empty();
  }

  private Optional<String> cpuInfo(String field) {
    return files
        .read("/proc/cpuinfo")
        .orElse("")
        .lines()
        .filter(line -> line.startsWith(field))
        .findFirst()
        .map(line -> line.substring(line.indexOf(':') + 1).strip());
  }
}
