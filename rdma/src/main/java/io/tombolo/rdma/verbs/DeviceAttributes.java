// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * What a device can do (ibv_query_device).
 *
 * @param vendorId its maker, as PCI numbers them
 * @param partId its model
 * @param maxPairs queue pairs
 * @param maxRequests requests of one queue
 * @param maxCompletions entries of one completion queue
 * @param maxWindows memory windows; 0 where it has none
 * @param maxSharedReceives shared receive queues
 * @param maxSharedRequests entries of one shared receive queue
 * @param ports how many it has
 * @param flags IBV_DEVICE_ bits
 */
record DeviceAttributes(
    int vendorId,
    int partId,
    int maxPairs,
    int maxRequests,
    int maxCompletions,
    int maxWindows,
    int maxSharedReceives,
    int maxSharedRequests,
    int ports,
    int flags) {
  /** Numbers that the library's answer is copied to. */
  static final int LENGTH = 12;

  private static final int MEMORY_WINDOW = 1 << 17;

  static DeviceAttributes of(long[] values) {
    return new DeviceAttributes(
        (int) values[0],
        (int) values[1],
        (int) values[2],
        (int) values[3],
        (int) values[4],
        (int) values[5],
        (int) values[6],
        (int) values[7],
        (int) values[9],
        (int) values[11]);
  }

  /** Whether it has memory windows of type 1. */
  boolean hasWindows() {
    return (flags & MEMORY_WINDOW) != 0 && maxWindows > 0;
  }
}
