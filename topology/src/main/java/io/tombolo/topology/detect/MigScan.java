// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * NVIDIA GPUs that are cut into instances. They have no links: what runs in an instance reaches
 * other GPUs neither over NVLink nor directly over PCI.
 *
 * <p>Sources: NVIDIA's Multi-Instance GPU User Guide, "Application Considerations" (no GPU to GPU
 * P2P) and "Device Nodes and Capabilities" ({@code /proc/driver/nvidia/capabilities}).
 */
final class MigScan {
  private static final String DRIVER = "/proc/driver/nvidia";
  private static final Pattern MINOR = Pattern.compile("Device Minor:\\s*(\\d{1,4})");

  private final SystemFiles files;

  MigScan(SystemFiles files) {
    this.files = files;
  }

  /** Whether the GPU at PCI address {@code address} has instances. */
  boolean isCut(String address) {
    return minor(address).stream()
        .flatMap(minor -> files.list(DRIVER + "/capabilities/gpu" + minor + "/mig").stream())
        .anyMatch(name -> name.matches("gi\\d{1,3}"));
  }

  private Optional<String> minor(String address) {
    return files
        .read(DRIVER + "/gpus/" + address + "/information")
        .map(MINOR::matcher)
        .filter(Matcher::find)
        .map(matcher -> matcher.group(1));
  }
}
