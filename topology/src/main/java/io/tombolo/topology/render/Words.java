// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import com.google.common.collect.Multiset;
import com.google.common.collect.TreeMultiset;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figures and lists as people read them. */
final class Words {
  private static final int MAX_ITEMS = 6;

  private Words() {}

  /** {@code 50.0 GB/s}, {@code 2.5 TB/s}. */
  static String gigabytes(long megabytesPerSecond) {
    if (megabytesPerSecond >= 1_000_000) {
      return String.format(Locale.ROOT, "%.1f TB/s", megabytesPerSecond / 1e6);
    }
    return String.format(Locale.ROOT, "%.1f GB/s", megabytesPerSecond / 1e3);
  }

  /** Network speeds are told in bits: {@code 400 Gb/s}. */
  static String gigabits(long megabytesPerSecond) {
    long megabits = megabytesPerSecond * 8;
    return megabits % 1000 == 0
        ? megabits / 1000 + " Gb/s"
        : String.format(Locale.ROOT, "%.1f Gb/s", megabits / 1e3);
  }

  /** {@code 1 rank}, {@code 12 500 hosts}. */
  static String count(long number, String noun) {
    String grouped = String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
    return grouped + " " + noun + (number == 1 ? "" : "s");
  }

  /** Ascending numbers as ranges: {@code 0-7, 16}; cut after a few. */
  static String ranges(List<Integer> ascending) {
    List<String> ranges = new ArrayList<>();
    int from = 0;
    for (int i = 1; i <= ascending.size(); i++) {
      if (i == ascending.size() || ascending.get(i) != ascending.get(i - 1) + 1) {
        int first = ascending.get(from);
        int last = ascending.get(i - 1);
        ranges.add(first == last ? "" + first : first + "-" + last);
        from = i;
      }
    }
    return cut(ranges);
  }

  /** Names with commas; cut after a few. */
  static String cut(List<String> names) {
    return names.size() <= MAX_ITEMS
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, MAX_ITEMS)) + ", … (" + names.size() + ")";
  }

  /** What is in a machine: {@code 8 nvidia, 8 NICs of 400 Gb/s}. */
  static String contents(Machine machine) {
    Multiset<String> vendors = TreeMultiset.create();
    machine.accelerators().stream().map(Accelerator::vendor).forEach(vendors::add);
    Multiset<Integer> speeds = TreeMultiset.create();
    machine.rails().stream().map(Nic::networkMegabytesPerSecond).forEach(speeds::add);
    List<String> words = new ArrayList<>();
    vendors.entrySet().forEach(each -> words.add(each.getCount() + " " + each.getElement()));
    speeds
        .entrySet()
        .forEach(
            each ->
                words.add(count(each.getCount(), "NIC") + " of " + gigabits(each.getElement())));
    return words.isEmpty() ? "no accelerator, no NIC" : String.join(", ", words);
  }
}
