// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotHeader;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.SlotRing;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/**
 * Slots as frames of a TCP stream: header and payload, one slot after the other, straight from and
 * into the rings.
 *
 * <p>A slot is read only when there is one free to read into: what this side does not take stays
 * with the kernel, and then with the peer.
 */
final class TcpLink implements SlotLink {
  private final PeerSocket socket;
  private final NativeMemory memory;
  private final HostPinner.Pin pin;
  private final SlotRing out;
  private final SlotRing in;
  private final SlotHeader header = new SlotHeader();
  private long published;
  private long written;
  private long sentBytes;
  private long arrived;
  private long released;
  private boolean inPayload;
  private boolean gone;
  private String howPeerWent = SlotLink.super.howPeerWent();

  TcpLink(PeerSocket socket, SlotGeometry geometry, HostPinner pinner) {
    this.socket = socket;
    this.memory = NativeMemory.allocate(2 * SlotRing.sizeBytes(geometry));
    this.pin = pinner.pin(memory.address(), memory.sizeBytes());
    this.out = new SlotRing(memory, 0, geometry);
    this.in = new SlotRing(memory, SlotRing.sizeBytes(geometry), geometry);
    startSlot(in.view(0));
  }

  @Override
  public boolean isReady() {
    return true;
  }

  /**
   * A reset connection counts as gone, not as an error, so that what has arrived before is still
   * delivered.
   */
  @Override
  public int progress() {
    if (gone) {
      return 0;
    }
    try {
      return write() + read();
    } catch (IOException e) {
      gone = true;
      howPeerWent =
          e instanceof SocketTimeoutException
              ? e.getMessage()
              : "%s (%s)".formatted(SlotLink.super.howPeerWent(), reason(e));
      return 1;
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private int write() throws IOException {
    long before = written;
    while (written < published) {
      ByteBuffer slot = out.view(written);
      socket.write(slot);
      if (slot.hasRemaining()) {
        break;
      }
      sentBytes += slot.limit() - SlotHeader.SIZE_BYTES;
      written++;
    }
    return (int) (written - before);
  }

  private int read() throws IOException {
    long before = arrived;
    while (arrived < released + in.slots()) {
      ByteBuffer slot = in.view(arrived);
      if (socket.read(slot) < 0) {
        gone = true;
        break;
      }
      if (slot.hasRemaining()) {
        break;
      }
      finishPart(slot);
    }
    return (int) (arrived - before);
  }

  /** The header says how long the payload is; after the payload comes the next slot. */
  private void finishPart(ByteBuffer slot) {
    if (!inPayload) {
      header.read(slot, in.payloadBytes());
      slot.limit(SlotHeader.SIZE_BYTES + header.payloadBytes());
      inPayload = true;
    }
    if (!slot.hasRemaining()) {
      arrived++;
      startSlot(in.view(arrived));
    }
  }

  private void startSlot(ByteBuffer slot) {
    inPayload = false;
    slot.position(0).limit(SlotHeader.SIZE_BYTES);
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
    return written + out.slots();
  }

  @Override
  public void publish(long sequence, int payloadBytes) {
    out.view(sequence).position(0).limit(SlotHeader.SIZE_BYTES + payloadBytes);
    published = sequence + 1;
  }

  @Override
  public long handedOver() {
    return written;
  }

  @Override
  public long sentBytes() {
    return sentBytes;
  }

  @Override
  public long arrived() {
    return arrived;
  }

  @Override
  public void release(long sequence) {
    released = sequence + 1;
  }

  /** With the ring full, only a message of this side makes room to read into. */
  @Override
  public void awaits(WakeUps wakeUps) {
    if (!gone && arrived < released + in.slots()) {
      socket.awaits(wakeUps);
    }
  }

  @Override
  public boolean isPeerGone() {
    return gone;
  }

  @Override
  public String howPeerWent() {
    return howPeerWent;
  }

  @Override
  public void hangUp() {
    Sockets.closeQuietly(socket);
  }

  @Override
  public void close() {
    hangUp();
    pin.closeWith(memory);
  }
}
