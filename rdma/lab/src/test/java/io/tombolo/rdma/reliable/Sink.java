// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import java.nio.ByteBuffer;

/** A wire that takes everything and carries nothing; tests override what they look at. */
class Sink implements PacketSender {
  @Override
  public boolean sendControl(ByteBuffer packet) {
    return true;
  }

  @Override
  public boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
    return true;
  }

  @Override
  public boolean sendAgain(
      int immediate,
      int key,
      long address,
      LocalMemory memory,
      long offset,
      int size,
      long id,
      long untilNs) {
    return true;
  }
}
