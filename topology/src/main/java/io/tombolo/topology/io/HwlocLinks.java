// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Table;
import com.google.common.collect.TreeBasedTable;
import com.google.common.primitives.Longs;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Links between accelerators in the XML of hwloc 2: its matrices {@code NVLinkBandwidth}, {@code
 * XGMIBandwidth} and {@code XeLinkBandwidth}, which it fills through NVML, ROCm SMI and Level Zero.
 *
 * <p>Source: hwloc's include/hwloc/distances.h and hwloc/topology-xml.c (distances2).
 */
final class HwlocLinks {
  private static final ImmutableMap<String, String> KINDS =
      ImmutableMap.of("NVLinkBandwidth", "NV", "XGMIBandwidth", "XGMI", "XeLinkBandwidth", "XE");
  private static final Splitter WORDS =
      Splitter.onPattern("[\\s:]+").omitEmptyStrings().trimResults();
  private static final int MAX_OBJECTS = 1024;

  private final Map<String, String> deviceOfObject;
  private final List<VendorLink> links = new ArrayList<>();

  /** {@code deviceOfObject} tells which accelerator an object is or is part of, by gp_index. */
  HwlocLinks(Map<String, String> deviceOfObject) {
    this.deviceOfObject = deviceOfObject;
  }

  /** The links that {@code topology}'s matrices tell of. */
  List<VendorLink> read(XmlElement topology) {
    topology.children("distances2").forEach(this::matrix);
    return links;
  }

  private void matrix(XmlElement matrix) {
    String kind = KINDS.get(matrix.get("name", ""));
    if (kind == null) {
      return;
    }
    int size = (int) matrix.whole("nbobjs", 0, 0, MAX_OBJECTS);
    List<String> objects = words(matrix, "indexes", size);
    List<String> values = words(matrix, "u64values", size * size);
    Table<String, String, Long> widths = TreeBasedTable.create();
    for (int from = 0; from < size; from++) {
      for (int to = from + 1; to < size; to++) {
        add(widths, device(objects, from), device(objects, to), values.get(from * size + to));
      }
    }
    for (Table.Cell<String, String, Long> cell : widths.cellSet()) {
      int width = (int) Math.min(Integer.MAX_VALUE, cell.getValue());
      links.add(new VendorLink(cell.getRowKey(), cell.getColumnKey(), kind, 1, width, "hwloc"));
    }
  }

  private static List<String> words(XmlElement matrix, String name, int count) {
    List<String> words =
        matrix
            .children(name)
            .flatMap(each -> WORDS.splitToStream(each.text()))
            .collect(Collectors.toList());
    if (words.size() != count) {
      throw matrix.wrong("has " + words.size() + " " + name + ", not " + count);
    }
    return words;
  }

  private String device(List<String> objects, int at) {
    return deviceOfObject.getOrDefault(objects.get(at), "");
  }

  /** Tiles of one device are added up; what is no accelerator, and itself, is passed over. */
  private static void add(
      Table<String, String, Long> widths, String from, String to, String megabytesPerSecond) {
    Long width = Longs.tryParse(megabytesPerSecond);
    if (width != null && width > 0 && !from.isEmpty() && !to.isEmpty() && !from.equals(to)) {
      String first = from.compareTo(to) < 0 ? from : to;
      String second = first.equals(from) ? to : from;
      Long before = widths.get(first, second);
      widths.put(
          first, second, before == null ? width : Math.addExact(before, Math.min(width, 1L << 40)));
    }
  }
}
