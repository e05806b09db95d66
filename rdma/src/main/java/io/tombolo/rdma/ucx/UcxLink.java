// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.base.HostPinner;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.SlotRing;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpRequest;

/**
 * Slots as active messages. UCX sends large payloads by rendezvous, straight from and into the
 * memory of the messages where it can reach that; the rings hold the rest, and what comes before it
 * is expected.
 *
 * <p>The socket has brought the two ends together, and then only tells of the end.
 */
final class UcxLink implements SlotLink {
  /**
   * Payloads up to this go through the ring: copying them is cheaper than to follow them, and their
   * memory is free as soon as they are posted.
   */
  private static final int SMALL_BYTES = 4096;

  private final UcxEngine engine;
  private final PeerSocket socket;
  private final UcxFarewell farewell;
  private final NativeMemory memory;
  private final HostPinner.Pin pin;
  private final SlotRing out;
  private final SlotRing in;
  private final UcxOutgoing outgoing;
  private final UcxIncoming incoming;
  private final long roomHeader;
  private final ByteBuffer roomView;
  private final long key;
  private final UcxIntroduction introduction;

  private UcxPeer peer;
  private UcpRequest roomRequest;
  private RuntimeException broken;
  private long toldLimit;
  private int messages;
  private boolean greeted;
  private boolean hungUp;

  UcxLink(UcxEngine engine, PeerSocket socket, SlotGeometry geometry, FabricSettings settings) {
    this.engine = engine;
    this.socket = socket;
    this.farewell = new UcxFarewell(socket, settings.ticker());
    long ringBytes = SlotRing.sizeBytes(geometry);
    this.memory = NativeMemory.allocate(2 * ringBytes + UcxHeader.SIZE_BYTES);
    this.pin = settings.pinner().pin(memory.address(), memory.sizeBytes());
    this.out = new SlotRing(memory, 0, geometry);
    this.in = new SlotRing(memory, ringBytes, geometry);
    this.outgoing = new UcxOutgoing(out, engine.memory());
    this.incoming = new UcxIncoming(in, engine);
    this.roomHeader = memory.address(2 * ringBytes, UcxHeader.SIZE_BYTES);
    this.roomView = memory.view(2 * ringBytes, UcxHeader.SIZE_BYTES);
    this.key = engine.register(this);
    this.introduction = new UcxIntroduction(settings.token(), engine.address(), key);
  }

  boolean isFor(long messageKey) {
    return key == messageKey;
  }

  /** Ready once the peer has been heard through UCX: a firewall may stand only in its way. */
  @Override
  public boolean isReady() {
    return greeted && peer != null;
  }

  @Override
  public String doing() {
    return peer == null
        ? "it does not say where its UCX is"
        : "its UCX is not heard, though it is known; a firewall, or UCX_NET_DEVICES or UCX_TLS that"
            + " leave no common network";
  }

  @Override
  public int progress() throws IOException {
    if (peer == null) {
      if (!introduction.progress(socket)) {
        return 0;
      }
      peer = engine.peer(introduction.address());
      sayRoom();
    }
    throwIfBroken();
    if (isRoomDue() && UcxPeer.areCompleted(roomRequest)) {
      sayRoom();
    }
    int done = messages;
    messages = 0;
    return done;
  }

  private boolean isRoomDue() {
    return (incoming.limit() - toldLimit) * 2 >= in.slots();
  }

  private void sayRoom() {
    toldLimit = incoming.limit();
    UcxHeader.write(roomView, UcxHeader.ROOM, introduction.key(), toldLimit);
    roomRequest = peer.send(roomHeader, roomHeader, 0, UcxMemory.host());
  }

  /** A peer that went is seen as such once what it had sent is taken; other failures end it now. */
  private void throwIfBroken() {
    if (broken != null) {
      throw broken;
    }
    if (outgoing.failure() != UcxStatus.OK) {
      peer.fail(outgoing.failure(), "a send failed");
    }
    if (incoming.failure() != UcxStatus.OK) {
      peer.fail(incoming.failure(), "a receive failed");
    }
    if (peer.isFailed() && !UcxStatus.isPeerGone(peer.status())) {
      throw UcxStatus.error("the network", peer.status(), peer.problem());
    }
  }

  /** A message for this link; called inside UCX's callback, so that nothing may be thrown. */
  void receive(NativeMemory header, ByteBuffer headerView, UcpAmData data) {
    messages++;
    try {
      outgoing.allow(UcxHeader.limit(headerView));
      switch (UcxHeader.kind(headerView)) {
        case UcxHeader.ROOM -> greeted = true;
        case UcxHeader.SLOT -> incoming.receive(header.address(), headerView, data);
        default ->
            throw new CorruptException(
                "a message is of kind " + UcxHeader.kind(headerView) + ", which there is not");
      }
    } catch (CorruptException e) {
      broken = e;
    } catch (UcxException e) {
      peer.fail(e.getStatus(), e.getMessage());
    }
  }

  @Override
  public SlotRing out() {
    return out;
  }

  @Override
  public SlotRing in() {
    return in;
  }

  @Override
  public long claimable() {
    return outgoing.claimable();
  }

  @Override
  public int borrow(long sequence, LocalMemory source, long position, long rest) {
    int bytes = (int) Math.min(out.payloadBytes(), rest);
    return bytes > SMALL_BYTES && outgoing.borrow(sequence, source, position) ? bytes : 0;
  }

  @Override
  public void publish(long sequence, int payloadBytes) {
    toldLimit = incoming.limit();
    UcxHeader.write(out.view(sequence), UcxHeader.SLOT, introduction.key(), toldLimit);
    outgoing.publish(peer, sequence, payloadBytes);
  }

  @Override
  public long handedOver() {
    return outgoing.handedOver();
  }

  @Override
  public long sentBytes() {
    return outgoing.sentBytes();
  }

  @Override
  public boolean takesAims() {
    return true;
  }

  @Override
  public boolean aim(long sequence, LocalMemory target, long position, int bytes) {
    return bytes > SMALL_BYTES && incoming.aim(sequence, target, position, bytes);
  }

  @Override
  public boolean isPlaced(long sequence) {
    return incoming.isPlaced(sequence);
  }

  @Override
  public long arrived() {
    return incoming.arrived();
  }

  @Override
  public void release(long sequence) {
    incoming.release(sequence);
  }

  /** What UCX brings is the engine's to wait for; of a failure it tells in the next round. */
  @Override
  public void awaits(WakeUps wakeUps) {
    if (broken != null
        || isRoomDue()
        || (peer.isFailed() && !UcxStatus.isPeerGone(peer.status()))) {
      wakeUps.soon();
    } else {
      farewell.awaits(wakeUps);
    }
  }

  @Override
  public boolean isPeerGone() {
    return farewell.isOver(incoming.arrived(), peer.isFailed());
  }

  @Override
  public String howPeerWent() {
    return peer.isFailed()
        ? "UCX lost the peer: " + peer.problem() + " (raw code " + peer.status() + ")"
        : SlotLink.super.howPeerWent();
  }

  @Override
  public void hangUp() {
    if (hungUp) {
      return;
    }
    hungUp = true;
    engine.unregister(key);
    if (peer != null) {
      boolean orderly = broken == null && outgoing.handedOver() == outgoing.published();
      if (orderly) {
        farewell.say(outgoing.published());
      }
      peer.release(!orderly);
    }
    farewell.hangUp();
  }

  @Override
  public boolean isQuiet() {
    return outgoing.isQuiet() && incoming.isQuiet() && UcxPeer.areCompleted(roomRequest);
  }

  @Override
  public void close() {
    hangUp();
    pin.closeWith(memory);
  }
}
