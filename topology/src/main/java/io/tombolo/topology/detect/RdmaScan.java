// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Port;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** RDMA devices with their ports, from {@code /sys/class/infiniband}. */
final class RdmaScan {
  static final String DEVICES = "/sys/class/infiniband";
  private static final String EMPTY_GID = "0000:0000:0000:0000:0000:0000:0000:0000";

  /** {@code 400 Gb/sec (4X NDR)}; old ones have a fraction: {@code 2.5 Gb/sec (1X SDR)}. */
  private static final Pattern RATE = Pattern.compile("(\\d{1,6})(?:\\.(\\d))? Gb/sec.*");

  private final SystemFiles files;

  RdmaScan(SystemFiles files) {
    this.files = files;
  }

  List<String> devices() {
    return files.list(DEVICES);
  }

  Nic nic(String device, PciFunction function) {
    String ports = DEVICES + "/" + device + "/ports";
    String guid = files.read(DEVICES + "/" + device + "/node_guid").orElse("").replace(":", "");
    return new Nic(
        function.address(),
        function.parent(),
        function.numaNode(),
        function.megabytesPerSecond(),
        device,
        true,
        files.list(ports).stream()
            .filter(number -> number.matches("\\d{1,3}"))
            .map(number -> port(ports + "/" + number, Integer.parseInt(number), guid))
            .collect(ImmutableList.toImmutableList()));
  }

  private Port port(String folder, int number, String guid) {
    boolean active = files.read(folder + "/state").orElse("").endsWith("ACTIVE");
    String layer = files.read(folder + "/link_layer").orElse("");
    return new Port(number, layer, active, speed(folder), guid, gids(folder + "/gids"));
  }

  private int speed(String folder) {
    Matcher rate = RATE.matcher(files.read(folder + "/rate").orElse(""));
    if (!rate.matches()) {
      return 0;
    }
    int fraction = rate.group(2) == null ? 0 : Integer.parseInt(rate.group(2));
    return Port.megabytesPerSecond(Long.parseLong(rate.group(1)) * 1000 + fraction * 100L);
  }

  private ImmutableList<String> gids(String folder) {
    return files.list(folder).stream()
        .filter(index -> index.matches("\\d{1,4}"))
        .sorted((one, other) -> Integer.compare(Integer.parseInt(one), Integer.parseInt(other)))
        .flatMap(index -> files.read(folder + "/" + index).stream())
        .filter(gid -> !gid.equals(EMPTY_GID))
        .collect(ImmutableList.toImmutableList());
  }
}
