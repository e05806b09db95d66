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
 * @param megabytesPerSecond its rate; 0 if it tells none that we know
 */
record PortAttributes(
    boolean active,
    int mtu,
    int gidTableLength,
    long maxMessageBytes,
    int lid,
    Link link,
    int megabytesPerSecond) {
  /** Numbers that the library's answer is copied to. */
  static final int LENGTH = 8;

  private static final int ACTIVE = 4;
  private static final int HALF_OF_SMALLEST_MTU_BYTES = 128;

  /** Kinds of network, numbered as the library numbers them. */
  enum Link {
    /** EFA's, which has no name there: packets may be lost, and requests complete in any order. */
    UNSPECIFIED(0),
    /** Credits on every link: nothing is dropped for want of room. */
    INFINIBAND(1),
    /** RoCE: packets may be lost unless switches are configured otherwise. */
    ETHERNET(2),
    /** One from the future: not used. */
    OTHER(255);

    private final int number;

    Link(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }

    static Link of(int number) {
      return switch (number) {
        case 0 -> UNSPECIFIED;
        case 1 -> INFINIBAND;
        case 2 -> ETHERNET;
        default -> OTHER;
      };
    }
  }

  static PortAttributes of(long[] values) {
    return new PortAttributes(
        values[0] == ACTIVE,
        (int) values[1],
        (int) values[2],
        values[3],
        (int) values[4],
        Link.of((int) values[5]),
        rate((int) values[6], (int) values[7]));
  }

  /**
   * Lanes times what each carries, as the InfiniBand Architecture Specification numbers them
   * (PortInfo: LinkWidthActive, LinkSpeedActive, LinkSpeedExtActive), and for RoCE the drivers.
   */
  private static int rate(int width, int speed) {
    int lanes =
        switch (width) {
          case 1 -> 1;
          case 2 -> 4;
          case 4 -> 8;
          case 8 -> 12;
          case 16 -> 2;
          default -> 0;
        };
    int megabits =
        switch (speed) {
          case 1 -> 2_500;
          case 2 -> 5_000;
          case 4, 8 -> 10_000;
          case 16 -> 14_062;
          case 32 -> 25_781;
          case 64 -> 53_125;
          case 128 -> 106_250;
          default -> 0;
        };
    return lanes * megabits / 8;
  }

  /** The path MTU {@code mtu}, as the library numbers them, in bytes. */
  static int mtuBytes(int mtu) {
    return HALF_OF_SMALLEST_MTU_BYTES << mtu;
  }
}
