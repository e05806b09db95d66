// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;

/** A way to put a known failure back; the base class puts none. */
class Mutant {
  ProtocolParts parts() {
    return new ProtocolParts();
  }

  PacketSender wire(SimulatedEndpoint endpoint) {
    return endpoint;
  }

  int slots(int allowed) {
    return allowed;
  }

  /** Bits of a key that its renewal steps. */
  int tagBits() {
    return SimulatedSlab.TAG_BITS;
  }

  /** How long a key rests before it comes back. */
  long packetLifeNs() {
    return SimulatedSlab.PACKET_LIFE_NS;
  }

  SlabPool pool(SimulatedSlab slab, int slots, long slotBytes) {
    return slab.pool();
  }

  @Override
  public String toString() {
    return "no mutant";
  }
}
