// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import java.nio.ByteBuffer;

/** A wire that passes everything on; mutants override what they spoil. */
class PacketTamper implements PacketSender {
  private final PacketSender wire;

  PacketTamper(PacketSender wire) {
    this.wire = wire;
  }

  /** The type of a packet, as PacketCodec draws it. */
  static byte type(ByteBuffer packet) {
    return packet.get(packet.position() + 5);
  }

  @Override
  public boolean sendControl(ByteBuffer packet) {
    return wire.sendControl(packet);
  }

  @Override
  public boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
    return wire.sendDatagram(header, memory, offset, sizeBytes, cookie);
  }

  @Override
  public boolean sendAgain(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie,
      long untilNs) {
    return wire.sendAgain(
        immediate, remoteKey, remoteAddress, memory, offset, sizeBytes, cookie, untilNs);
  }
}
