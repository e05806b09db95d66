// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.staged.SlotRing;
import org.openucx.jucx.ucp.UcpRequest;

/** The slots that go out, and what UCX still reads of them. */
final class UcxOutgoing {
  private final SlotRing ring;
  private final UcxMemory memory;
  private final UcpRequest[] requests;
  private final UcxMemory.Place[] borrowed;
  private long published;
  private long handedOver;
  private long room;
  private long sentBytes;

  UcxOutgoing(SlotRing ring, UcxMemory memory) {
    this.ring = ring;
    this.memory = memory;
    this.requests = new UcpRequest[ring.slots()];
    this.borrowed = new UcxMemory.Place[ring.slots()];
  }

  /** The peer takes slots below {@code limit}; it may have said more before, on another way. */
  void allow(long limit) {
    if (limit < 0 || limit > published + ring.slots()) {
      throw new CorruptException(
          "the peer claims to have room for slots up to "
              + limit
              + ", but only "
              + published
              + " were sent into its ring of "
              + ring.slots());
    }
    room = Math.max(room, limit);
  }

  /** Has slot {@code sequence} sent straight from {@code source}, if UCX can. */
  boolean borrow(long sequence, LocalMemory source, long position) {
    UcxMemory.Place place = memory.place(source.export(), position).orElse(null);
    borrowed[ring.index(sequence)] = place;
    return place != null;
  }

  /** Sends slot {@code sequence}, whose header is complete. */
  void publish(UcxPeer peer, long sequence, int payloadBytes) {
    int slot = ring.index(sequence);
    UcxMemory.Place source = borrowed[slot];
    borrowed[slot] = null;
    published = sequence + 1;
    sentBytes += payloadBytes;
    requests[slot] =
        source == null
            ? peer.send(
                ring.header(sequence), ring.payload(sequence), payloadBytes, UcxMemory.host())
            : peer.send(ring.header(sequence), source.address(), payloadBytes, source.kind());
  }

  long published() {
    return published;
  }

  long sentBytes() {
    return sentBytes;
  }

  long claimable() {
    return Math.min(handedOver() + ring.slots(), room);
  }

  /** Slots below this are sent; a failed one stays, and its peer is failed. */
  long handedOver() {
    while (handedOver < published && isSent(requests[ring.index(handedOver)])) {
      requests[ring.index(handedOver)] = null;
      handedOver++;
    }
    return handedOver;
  }

  private static boolean isSent(UcpRequest request) {
    return request != null && request.isCompleted() && request.getStatus() == UcxStatus.OK;
  }

  /** The code of a send that has failed, 0 without one. */
  int failure() {
    UcpRequest next = handedOver < published ? requests[ring.index(handedOver)] : null;
    return next != null && next.isCompleted() ? next.getStatus() : UcxStatus.OK;
  }

  /** Whether UCX reads nothing here any more. */
  boolean isQuiet() {
    return UcxPeer.areCompleted(requests);
  }
}
