// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.base.Splitter;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A set of logical CPUs. Immutable. */
public final class CpuSet {
  /** No machine has more; a larger number is a broken file and must not cost memory. */
  private static final int LIMIT = 1 << 16;

  private static final int BITS_PER_DIGIT = 4;
  private final BitSet cpus;

  private CpuSet(BitSet cpus) {
    this.cpus = cpus;
  }

  /** The set that the kernel's list form {@code 0-3,8} names; an empty text is the empty set. */
  public static CpuSet ofList(String list) {
    BitSet cpus = new BitSet();
    for (String range : Splitter.on(',').trimResults().omitEmptyStrings().split(list)) {
      int dash = range.indexOf('-');
      int from = number(dash < 0 ? range : range.substring(0, dash), list);
      int to = dash < 0 ? from : number(range.substring(dash + 1), list);
      if (to < from) {
        throw new UsageException("CPU list '" + list + "': range " + range + " runs backwards");
      }
      cpus.set(from, to + 1);
    }
    return new CpuSet(cpus);
  }

  /**
   * The set that a hexadecimal mask names; groups of 32 bits are separated by commas, highest
   * first, as in sysfs and NCCL ({@code ff,0000ffff}) or with {@code 0x} in front of each (hwloc).
   */
  public static CpuSet ofMask(String mask) {
    StringBuilder digits = new StringBuilder();
    for (String group : Splitter.on(',').trimResults().split(mask)) {
      String bare = group.startsWith("0x") ? group.substring(2) : group;
      digits.append(digits.length() > 0 ? "0".repeat(Math.max(0, 8 - bare.length())) : "");
      digits.append(bare);
    }
    if (digits.length() > LIMIT / BITS_PER_DIGIT) {
      throw new UsageException(
          "CPU mask with " + digits.length() + " digits: no machine is so big");
    }
    BitSet cpus = new BitSet();
    for (int place = 0; place < digits.length(); place++) {
      setDigit(cpus, digits.charAt(digits.length() - 1 - place), place, mask);
    }
    return new CpuSet(cpus);
  }

  private static void setDigit(BitSet cpus, char digit, int place, String mask) {
    int value = Character.digit(digit, 16);
    if (value < 0) {
      throw new UsageException("CPU mask '" + mask + "': '" + digit + "' is no hexadecimal digit");
    }
    for (int bit = 0; bit < BITS_PER_DIGIT; bit++) {
      cpus.set(place * BITS_PER_DIGIT + bit, (value >> bit & 1) == 1);
    }
  }

  private static int number(String text, String list) {
    try {
      int number = Integer.parseInt(text.strip());
      if (number >= 0 && number < LIMIT) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below: the list as a whole is what the reader knows.
    }
    throw new UsageException(
        "CPU list '" + list + "': '" + text + "' is not a number from 0 to " + (LIMIT - 1));
  }

  /** Number of CPUs in it. */
  public int size() {
    return cpus.cardinality();
  }

  /** Its lowest CPU, or -1 if it is empty. */
  public int first() {
    return cpus.nextSetBit(0);
  }

  /** Whether the two share a CPU. */
  public boolean intersects(CpuSet other) {
    return cpus.intersects(other.cpus);
  }

  /** The mask that {@link #ofMask} reads. */
  public String toMask() {
    StringBuilder mask = new StringBuilder();
    for (int group = Math.max(0, cpus.length() - 1) / Integer.SIZE; group >= 0; group--) {
      long[] words = cpus.get(group * Integer.SIZE, (group + 1) * Integer.SIZE).toLongArray();
      mask.append(String.format(Locale.ROOT, "%08x", words.length == 0 ? 0 : words[0]));
      mask.append(group == 0 ? "" : ",");
    }
    return mask.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CpuSet that && cpus.equals(that.cpus);
  }

  @Override
  public int hashCode() {
    return cpus.hashCode();
  }

  /** The kernel's list form: {@code 0-3,8}. */
  @Override
  public String toString() {
    List<int[]> ranges = new ArrayList<>();
    for (int from = cpus.nextSetBit(0); from >= 0; from = cpus.nextSetBit(from)) {
      int end = cpus.nextClearBit(from);
      ranges.add(new int[] {from, end - 1});
      from = end;
    }
    return ranges.stream()
        .map(range -> range[0] == range[1] ? "" + range[0] : range[0] + "-" + range[1])
        .collect(Collectors.joining(","));
  }
}
