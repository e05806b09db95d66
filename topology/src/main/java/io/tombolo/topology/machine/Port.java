// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;

/**
 * A port of a NIC.
 *
 * @param number from 1, as the device counts
 * @param linkLayer {@code Ethernet} or {@code InfiniBand}
 * @param active whether its link is up
 * @param megabytesPerSecond its speed, one direction; 0 if unknown
 * @param guid 64-bit identity of its device as 16 hexadecimal digits, unique together with the
 *     number; empty if unknown
 * @param gids its RDMA addresses, in table order, empty slots left out
 */
public record Port(
    int number,
    String linkLayer,
    boolean active,
    int megabytesPerSecond,
    String guid,
    ImmutableList<String> gids) {
  private static final int MEGABITS_PER_MEGABYTE = 8;

  /** Megabytes per second of a port with this many megabits per second. */
  public static int megabytesPerSecond(long megabitsPerSecond) {
    return (int)
        Math.min(Integer.MAX_VALUE, Math.max(0, megabitsPerSecond) / MEGABITS_PER_MEGABYTE);
  }
}
