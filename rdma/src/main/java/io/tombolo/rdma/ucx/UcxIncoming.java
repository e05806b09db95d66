// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.staged.SlotHeader;
import io.tombolo.rdma.staged.SlotRing;
import java.nio.ByteBuffer;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;

/**
 * The slots that come in: where each one's payload goes, and what UCX still writes of them. UCX
 * does not promise the order of messages, so that slots are kept by their sequence.
 */
final class UcxIncoming {
  private final SlotRing ring;
  private final UcxEngine engine;
  private final SlotHeader header = new SlotHeader();
  private final UcxMemory.Place[] aims;
  private final int[] aimedBytes;
  private final boolean[] here;
  private final boolean[] placed;
  private final UcpRequest[] fetches;
  private long arrived;
  private long released;

  UcxIncoming(SlotRing ring, UcxEngine engine) {
    this.ring = ring;
    this.engine = engine;
    this.aims = new UcxMemory.Place[ring.slots()];
    this.aimedBytes = new int[ring.slots()];
    this.here = new boolean[ring.slots()];
    this.placed = new boolean[ring.slots()];
    this.fetches = new UcpRequest[ring.slots()];
  }

  /** Slots below this can be taken now. */
  long limit() {
    return released + ring.slots();
  }

  /** Where the payload of {@code sequence} should go, unless it is here or on its way. */
  boolean aim(long sequence, LocalMemory target, long position, int bytes) {
    int slot = ring.index(sequence);
    if (here[slot]) {
      return false;
    }
    aims[slot] = engine.memory().place(target.export(), position).orElse(null);
    aimedBytes[slot] = bytes;
    return aims[slot] != null;
  }

  /** Takes in a message whose header is at {@code headerAddress}; inside UCX's callback. */
  void receive(long headerAddress, ByteBuffer headerView, UcpAmData data) {
    header.read(headerView, ring.payloadBytes());
    long sequence = header.sequence();
    if (sequence < released || sequence >= limit() || here[ring.index(sequence)]) {
      throw new CorruptException(
          "slot "
              + sequence
              + " came where slots from "
              + arrived
              + " below "
              + limit()
              + " are due");
    }
    if (data.getLength() != header.payloadBytes()) {
      throw new CorruptException(
          "slot "
              + sequence
              + " claims "
              + header.payloadBytes()
              + " bytes and brings "
              + data.getLength());
    }
    NativeMemory.copy(ring.header(sequence), headerAddress, UcxHeader.SIZE_BYTES);
    place(sequence, header.payloadBytes(), data);
    here[ring.index(sequence)] = true;
  }

  private void place(long sequence, int bytes, UcpAmData data) {
    int slot = ring.index(sequence);
    boolean eager = data.isDataValid();
    UcxMemory.Place aim = aims[slot];
    // What has arrived already is in host memory: it gets to a device by a copy of the device's.
    placed[slot] = aim != null && bytes <= aimedBytes[slot] && (!eager || aim.isHost());
    long address = placed[slot] ? aim.address() : ring.payload(sequence);
    if (!eager) {
      UcpRequestParams kind = placed[slot] ? aim.kind() : UcxMemory.host();
      fetches[slot] = engine.fetch(data, address, bytes, kind);
    } else if (bytes > 0) {
      NativeMemory.copy(address, data.getDataAddress(), bytes);
    }
  }

  boolean isPlaced(long sequence) {
    return placed[ring.index(sequence)];
  }

  long arrived() {
    while (arrived < limit() && isComplete(ring.index(arrived))) {
      arrived++;
    }
    return arrived;
  }

  private boolean isComplete(int slot) {
    UcpRequest fetch = fetches[slot];
    return here[slot]
        && (fetch == null || (fetch.isCompleted() && fetch.getStatus() == UcxStatus.OK));
  }

  void release(long sequence) {
    int slot = ring.index(sequence);
    aims[slot] = null;
    fetches[slot] = null;
    here[slot] = false;
    placed[slot] = false;
    released = sequence + 1;
  }

  /** The code of a fetch that has failed, 0 without one. */
  int failure() {
    UcpRequest next = arrived < limit() ? fetches[ring.index(arrived)] : null;
    return next != null && next.isCompleted() ? next.getStatus() : UcxStatus.OK;
  }

  /** Whether UCX writes nothing here any more. */
  boolean isQuiet() {
    return UcxPeer.areCompleted(fetches);
  }
}
