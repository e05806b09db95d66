// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.rdma.verbs.PortAttributes.Link;

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
 * @param transport what its queue pairs speak, as ibv_transport_type numbers it
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
    int flags,
    int transport) {
  /** Numbers that the library's answer is copied to. */
  static final int LENGTH = 13;

  private static final int MEMORY_WINDOW = 1 << 17;
  private static final int INFINIBAND_TRANSPORT = 0;
  private static final int IWARP_TRANSPORT = 1;
  private static final int UNSPECIFIED_TRANSPORT = 4;

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
        (int) values[11],
        (int) values[12]);
  }

  /**
   * Whether its ports on {@code link} are InfiniBand's, RoCE's or EFA's. iWARP's and usNIC's links
   * are Ethernet, too, and old kernels of InfiniBand's do not say which they are.
   */
  boolean speaksOver(Link link) {
    return switch (transport) {
      case INFINIBAND_TRANSPORT -> link == Link.INFINIBAND || link == Link.ETHERNET;
      case UNSPECIFIED_TRANSPORT -> link == Link.UNSPECIFIED;
      default -> false;
    };
  }

  /** Whether its queue pairs are iWARP's. */
  boolean isIwarp() {
    return transport == IWARP_TRANSPORT;
  }

  /** Whether it says that it has memory windows of type 1; its library may not make any. */
  boolean saysWindows() {
    return (flags & MEMORY_WINDOW) != 0 && maxWindows > 0;
  }
}
