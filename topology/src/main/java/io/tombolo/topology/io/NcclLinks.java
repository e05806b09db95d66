// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.HashBasedTable;
import com.google.common.collect.Table;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.KnownLinks;
import io.tombolo.topology.machine.PciIds;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The NVLink and XGMI entries of an NCCL document. Links end at an accelerator, at an NVSwitch
 * (target class 0x068000), which joins all that have such links, or at a POWER9 CPU (0x068001),
 * which joins none. Source: src/graph/topo.cc of NCCL, kvDictPciClass.
 */
final class NcclLinks {
  private static final String SWITCH_CLASS = "0x068000";
  private static final String CPU_CLASS = "0x068001";
  private static final int MAX_SM = 999_999;

  private final Table<String, String, Integer> direct = HashBasedTable.create();
  private final Map<String, Integer> toSwitch = new HashMap<>();
  private final Map<String, String> kind = new HashMap<>();
  private final Map<String, Integer> megabytesEach = new HashMap<>();

  void add(String id, XmlElement device, int most) {
    for (XmlElement link : device.children()) {
      if (link.name().equals("nvlink") || link.name().equals("xgmi")) {
        int count = (int) link.whole("count", 1, 1, most);
        boolean isXgmi = link.name().equals("xgmi");
        kind.put(id, isXgmi ? "XGMI" : "NV");
        megabytesEach.put(
            id, LinkSpeeds.megabytesPerSecond(isXgmi, device.whole("sm", 0, 0, MAX_SM)));
        String target = link.get("tclass", "").toLowerCase(Locale.ROOT);
        if (target.equals(CPU_CLASS)) {
          continue;
        }
        if (target.equals(SWITCH_CLASS)) {
          toSwitch.merge(id, count, Integer::sum);
        } else {
          direct.put(id, PciIds.address(link.get("target")), count);
        }
      }
    }
  }

  List<VendorLink> between(List<Accelerator> accelerators) {
    KnownLinks.checkFew(accelerators);
    List<VendorLink> links = new ArrayList<>();
    for (int i = 0; i < accelerators.size(); i++) {
      for (int j = i + 1; j < accelerators.size(); j++) {
        String a = accelerators.get(i).id();
        String b = accelerators.get(j).id();
        int count = Math.max(count(a, b), count(b, a)) + throughSwitch(a, b);
        if (count > 0) {
          String name = kind.getOrDefault(a, kind.get(b));
          int each = Math.min(each(a, b), each(b, a));
          links.add(new VendorLink(a, b, name, count, count * each, "imported"));
        }
      }
    }
    return links;
  }

  /** What one link of {@code a} carries; the other end's word counts where it says nothing. */
  private int each(String a, String b) {
    return megabytesEach.getOrDefault(a, megabytesEach.getOrDefault(b, 0));
  }

  private int count(String from, String to) {
    Integer count = direct.get(from, to);
    return count == null ? 0 : count;
  }

  private int throughSwitch(String a, String b) {
    return Math.min(toSwitch.getOrDefault(a, 0), toSwitch.getOrDefault(b, 0));
  }
}
