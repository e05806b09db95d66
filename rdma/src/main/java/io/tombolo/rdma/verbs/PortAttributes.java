// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * The state of a port (ibv_query_port).
 *
 * @param active whether it carries data now
 * @param mtu the active path MTU as the library numbers it: 1 is 256 bytes, 5 is 4096
 * @param gidTableLength entries of its GID table
 * @param maxMessageBytes the longest message
 * @param lid its local identifier on an InfiniBand subnet; 0 on Ethernet
 * @param link what it is connected to
 */
record PortAttributes(
    boolean active, int mtu, int gidTableLength, long maxMessageBytes, int lid, Link link) {
  /** Numbers that the library's answer is copied to. */
  static final int LENGTH = 6;

  private static final int ACTIVE = 4;
  private static final int HALF_OF_SMALLEST_MTU_BYTES = 128;

  /** Kinds of network. */
  enum Link {
    /** Credits on every link: nothing is dropped for want of room. */
    INFINIBAND,
    /** RoCE: packets may be lost unless switches are configured otherwise. */
    ETHERNET,
    /** Not told, as of EFA, or unknown: not used. */
    OTHER
  }

  static PortAttributes of(long[] values) {
    return new PortAttributes(
        values[0] == ACTIVE,
        (int) values[1],
        (int) values[2],
        values[3],
        (int) values[4],
        link((int) values[5]));
  }

  private static Link link(int number) {
    return switch (number) {
      case 1 -> Link.INFINIBAND;
      case 2 -> Link.ETHERNET;
      default -> Link.OTHER;
    };
  }

  /** The path MTU {@code mtu}, as the library numbers them, in bytes. */
  static int mtuBytes(int mtu) {
    return HALF_OF_SMALLEST_MTU_BYTES << mtu;
  }
}
