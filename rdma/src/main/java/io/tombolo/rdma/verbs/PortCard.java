// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.rdma.verbs.PortAttributes.Link;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * What a peer has to know of a port to reach it: 24 bytes, little-endian.
 *
 * <pre>
 *  0  u8  version   1  u8  link (0 EFA, 1 InfiniBand, 2 Ethernet)   2  u8  type of GID   3  u8  MTU
 *  4  u32 LID       8  16 bytes GID
 * </pre>
 *
 * @param link what the port is connected to
 * @param gid its address
 * @param lid its local identifier on an InfiniBand subnet; 0 on Ethernet
 * @param mtu its active path MTU as the library numbers it
 */
record PortCard(Link link, Gid gid, int lid, int mtu) {
  static final int SIZE_BYTES = 24;

  private static final byte VERSION = 1;
  private static final int LARGEST_MTU = 5;
  private static final int NO_INDEX = -1;

  void write(ByteBuffer into) {
    into.put(VERSION)
        .put((byte) link.number())
        .put((byte) gid.type().number())
        .put((byte) mtu)
        .putInt(lid)
        .put(gid.bytes());
  }

  byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    write(bytes);
    return bytes.array();
  }

  /** The card in the next {@link #SIZE_BYTES} of {@code from}, if they are one. */
  static Optional<PortCard> read(ByteBuffer from) {
    if (from.remaining() < SIZE_BYTES) {
      return Optional.empty();
    }
    int version = from.get();
    Link link = Link.of(from.get());
    int type = from.get();
    int mtu = from.get();
    int lid = from.getInt();
    byte[] gid = new byte[Gid.SIZE_BYTES];
    from.get(gid);
    boolean sound =
        version == VERSION
            && link != Link.OTHER
            && mtu >= 1
            && mtu <= LARGEST_MTU
            && lid >= 0
            && lid <= 0xffff;
    return sound
        ? Gid.of(NO_INDEX, type, gid).map(found -> new PortCard(link, found, lid, mtu))
        : Optional.empty();
  }

  /**
   * Whether the two ports are on networks of one kind that may be one network: the same InfiniBand
   * subnet, or another link with the same kind of address. Of EFA all addresses are of one kind.
   */
  boolean mayReach(PortCard other) {
    if (link != other.link || gid.type() != other.gid.type()) {
      return false;
    }
    return link == Link.INFINIBAND
        ? gid.prefix().equals(other.gid.prefix())
        : gid.isIpv4() == other.gid.isIpv4() && gid.isLinkLocal() == other.gid.isLinkLocal();
  }

  @Override
  public String toString() {
    return link == Link.INFINIBAND ? "LID " + lid + ", GID " + gid : "GID " + gid;
  }
}
