// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * The marks of long queues (ECN, RFC 3168) on datagrams over RoCE v2: the lowest two bits of the
 * traffic class. They come in the IP header, which the NIC puts into the room for a global route
 * header, 40 bytes before the payload: one of IPv6 fills it, one of IPv4 its last 20 bytes, and
 * what is before those is undefined (rdma-core, ibv_create_ah_from_wc(3); Linux,
 * ib_get_rdma_header_version).
 */
enum Marks {
  /** InfiniBand and RoCE v1 have no IP header. */
  NONE(0, 0, 0),
  IPV4(20, 4, 0),
  IPV6(0, 6, 4);

  private static final int MASK = 3;
  private static final int CAPABLE = 2;
  private static final int EXPERIENCED = 3;
  private static final int VERSION_SHIFT = 4;

  private final int header;
  private final int version;
  private final int shift;

  Marks(int header, int version, int shift) {
    this.header = header;
    this.version = version;
    this.shift = shift;
  }

  /** Those on packets to a port with this card. */
  static Marks on(PortCard card) {
    if (card.gid().type() != Gid.Type.ROCE_V2) {
      return NONE;
    }
    return card.gid().isIpv4() ? IPV4 : IPV6;
  }

  /** {@code trafficClass} of packets that may be marked. */
  static int capable(int trafficClass) {
    return (trafficClass & ~MASK) | CAPABLE;
  }

  /** Whether the packet came marked that the NIC has put into {@code slot}, from its start on. */
  boolean isMarked(ByteBuffer slot) {
    if (this == NONE) {
      return false;
    }
    int first = Byte.toUnsignedInt(slot.get(header));
    // IPv6 has the upper half of its traffic class in the first byte, the lower in the second.
    int trafficClass = Byte.toUnsignedInt(slot.get(header + 1)) >> shift;
    return first >> VERSION_SHIFT == version && (trafficClass & MASK) == EXPERIENCED;
  }
}
