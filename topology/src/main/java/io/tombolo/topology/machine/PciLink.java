// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a PCI Express link carries, from the words sysfs uses for it.
 *
 * <p>Source: PCI Express Base Specification: 2.5 and 5 GT/s carry 8 bits in 10, from 8 GT/s on 128
 * in 130, from 64 GT/s on 242 bytes of every 256-byte flit (236 of them payload).
 */
public final class PciLink {
  private static final Pattern SPEED = Pattern.compile("(\\d{1,3})(?:\\.(\\d))?\\s*GT/s.*");
  private static final ImmutableList<String> SPEEDS =
      Stream.of("64.0", "32.0", "16.0", "8.0", "5.0", "2.5")
          .map(speed -> speed + " GT/s PCIe")
          .collect(ImmutableList.toImmutableList());
  private static final int MAX_WIDTH = 64;

  private PciLink() {}

  /**
   * Megabytes per second in one direction of a link that sysfs describes as {@code speed} ({@code
   * 32.0 GT/s PCIe}) and {@code width} ({@code 16}); 0 if either is unknown.
   */
  public static int megabytesPerSecond(String speed, String width) {
    Matcher matcher = SPEED.matcher(speed.strip());
    if (!matcher.matches() || !width.strip().matches("\\d{1,3}")) {
      return 0;
    }
    int lanes = Integer.parseInt(width.strip());
    int fraction = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
    long megatransfers = Integer.parseInt(matcher.group(1)) * 1000L + fraction * 100L;
    return lanes > MAX_WIDTH ? 0 : (int) (payload(megatransfers, megatransfers * lanes) / 8);
  }

  /**
   * The attributes {@code link_speed} and {@code link_width} of a link with this bandwidth, as NCCL
   * writes them; empty and 0 if no link of today has it.
   */
  public static String spell(int megabytesPerSecond) {
    for (String speed : SPEEDS) {
      for (int width = 1; width <= 16; width *= 2) {
        if (megabytesPerSecond(speed, "" + width) == megabytesPerSecond) {
          return "link_speed=\"" + speed + "\" link_width=\"" + width + "\"";
        }
      }
    }
    return "link_speed=\"\" link_width=\"0\"";
  }

  /** How many of {@code bits} sent at this rate are payload. */
  private static long payload(long megatransfers, long bits) {
    if (megatransfers <= 5_000) {
      return bits * 8 / 10;
    }
    return megatransfers < 64_000 ? bits * 128 / 130 : bits * 236 / 256;
  }
}
