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
import java.util.Map;

/**
 * The NVLink and XGMI entries of an NCCL document. Links end at an accelerator or, with target
 * class 0x0680, at an NVSwitch, which joins all that have such links.
 */
final class NcclLinks {
  /** A bridge of no particular kind: NVSwitch. */
  private static final String SWITCH_CLASS = "0x0680";

  /** Per link, one direction; NVLink 2 to 4, Infinity Fabric of MI300X. Source: data sheets. */
  private static final int NVLINK_MEGABYTES = 25_000;

  private static final int XGMI_MEGABYTES = 64_000;

  private final Table<String, String, Integer> direct = HashBasedTable.create();
  private final Map<String, Integer> toSwitch = new HashMap<>();
  private final Map<String, String> kind = new HashMap<>();

  void add(String id, XmlElement device, int most) {
    for (XmlElement link : device.children()) {
      if (link.name().equals("nvlink") || link.name().equals("xgmi")) {
        int count = (int) link.whole("count", 1, 1, most);
        kind.put(id, link.name().equals("xgmi") ? "XGMI" : "NV");
        if (link.get("tclass", "").startsWith(SWITCH_CLASS)) {
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
          int each = name.equals("XGMI") ? XGMI_MEGABYTES : NVLINK_MEGABYTES;
          links.add(new VendorLink(a, b, name, count, count * each, "imported"));
        }
      }
    }
    return links;
  }

  private int count(String from, String to) {
    Integer count = direct.get(from, to);
    return count == null ? 0 : count;
  }

  private int throughSwitch(String a, String b) {
    return Math.min(toSwitch.getOrDefault(a, 0), toSwitch.getOrDefault(b, 0));
  }
}
