// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.base.Splitter;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * AMD's links between accelerators, from the kernel's {@code /sys/class/kfd/kfd/topology}.
 *
 * <p>Source: drivers/gpu/drm/amd/amdkfd/kfd_crat.h of Linux: link type 11 is XGMI; bandwidths are
 * in megabytes per second; a node's location_id is bus, device and function.
 */
final class XgmiScan {
  private static final String NODES = "/sys/class/kfd/kfd/topology/nodes";
  private static final String XGMI = "11";

  /** What an XGMI link of MI200 and MI300 carries each way where the kernel does not say. */
  private static final int USUAL_MEGABYTES = 64_000;

  private final SystemFiles files;
  private final Map<String, String> addressOfNode = new HashMap<>();

  XgmiScan(SystemFiles files) {
    this.files = files;
    for (String node : files.list(NODES)) {
      Map<String, String> properties = properties(NODES + "/" + node + "/properties");
      long location = number(properties, "location_id");
      if (location != 0) {
        addressOfNode.put(node, address(number(properties, "domain"), location));
      }
    }
  }

  /** The links whose both ends are among {@code known}, each once. */
  List<VendorLink> links(Set<String> known) {
    List<VendorLink> links = new ArrayList<>();
    Set<Set<String>> seen = new HashSet<>();
    for (String node : files.list(NODES)) {
      String folder = NODES + "/" + node + "/io_links";
      for (String link : files.list(folder)) {
        Map<String, String> properties = properties(folder + "/" + link + "/properties");
        String a = addressOfNode.getOrDefault(node, "");
        String b = addressOfNode.getOrDefault(properties.getOrDefault("node_to", ""), "");
        if (XGMI.equals(properties.get("type"))
            && known.contains(a)
            && known.contains(b)
            && !a.equals(b)
            && seen.add(Set.of(a, b))) {
          links.add(new VendorLink(a, b, "XGMI", 1, width(properties), "kfd"));
        }
      }
    }
    return links;
  }

  private static int width(Map<String, String> properties) {
    long width = number(properties, "max_bandwidth");
    return width > 0 && width < Integer.MAX_VALUE ? (int) width : USUAL_MEGABYTES;
  }

  private static String address(long domain, long location) {
    return String.format(
        Locale.ROOT,
        "%04x:%02x:%02x.%x",
        domain,
        location >> 8 & 0xff,
        location >> 3 & 0x1f,
        location & 0x7);
  }

  private Map<String, String> properties(String path) {
    Map<String, String> properties = new HashMap<>();
    for (String line : files.read(path).orElse("").lines().toList()) {
      List<String> words = Splitter.on(' ').omitEmptyStrings().splitToList(line);
      if (words.size() == 2) {
        properties.put(words.get(0), words.get(1));
      }
    }
    return properties;
  }

  private static long number(Map<String, String> properties, String name) {
    String text = properties.getOrDefault(name, "0");
    return text.matches("\\d{1,15}") ? Long.parseLong(text) : 0;
  }
}
