// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.nio.ByteBuffer;

/** The wire of a former build, which asks for no clear-to-send. */
final class Unasking extends PacketTamper {
  Unasking(PacketSender wire) {
    super(wire);
  }

  @Override
  public boolean sendControl(ByteBuffer packet) {
    return type(packet) == PacketCodec.REQUEST || super.sendControl(packet);
  }
}
