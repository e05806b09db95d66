// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;

import io.tombolo.base.Deadline;
import io.tombolo.rdma.staged.PeerSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A queue pair of a stranger's that a rank takes for its peer's: what it sends comes here, is kept,
 * and goes on to the peer as the stranger likes.
 */
final class UdEavesdropper implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final int SLOTS = End.DEPTH / 2;
  private static final int SLOT_BYTES = 4096 + End.ROUTE_BYTES;

  /** Where a card says the number of its first pair. */
  private static final int PAIR_AT = 36;

  private final End end;
  private final int number;
  private final List<byte[]> heard = new ArrayList<>();
  private final List<byte[]> fresh = new ArrayList<>();
  private boolean isSending;

  /** On emulated device 1, as the peer, whose datagrams show {@code key}. */
  UdEavesdropper(int key) {
    NicPort nic = Devices.openIn(0, 1);
    end = new End(nic, PairType.UD, false, key);
    number = end.pair.number();
    end.pair.activate(0);
    for (int slot = 0; slot < SLOTS; slot++) {
      expect(slot);
    }
  }

  private void expect(int slot) {
    end.receive(slot, offset(slot), SLOT_BYTES);
  }

  /** The first slot's place is that of what is sent. */
  private static int offset(int slot) {
    return (1 + slot) * SLOT_BYTES;
  }

  /** {@code socket}, through which its reader hears that the peer's pair is this one. */
  PeerSocket lying(PeerSocket socket) {
    return new PeerSocket() {
      private int read;

      @Override
      public int read(ByteBuffer into) throws IOException {
        int from = into.position();
        int count = socket.read(into);
        for (int i = 0; i < count; i++) {
          int at = read++ - PAIR_AT;
          if (at >= 0 && at < Integer.BYTES) {
            into.put(from + i, (byte) (number >>> (8 * at)));
          }
        }
        return count;
      }

      @Override
      public int write(ByteBuffer from) throws IOException {
        return socket.write(from);
      }

      @Override
      public boolean finishConnect() throws IOException {
        return socket.finishConnect();
      }

      @Override
      public boolean isOpen() {
        return socket.isOpen();
      }

      @Override
      public void close() throws IOException {
        socket.close();
      }
    };
  }

  /** Keeps what has come since; those packets. */
  List<byte[]> listen() {
    take();
    List<byte[]> found = List.copyOf(fresh);
    fresh.clear();
    heard.addAll(found);
    return found;
  }

  private void take() {
    for (Optional<End.Done> done = end.poll(); done.isPresent(); done = end.poll()) {
      int slot = (int) done.get().id();
      if (slot == SLOTS) {
        isSending = false;
      } else {
        int sizeBytes = done.get().sizeBytes() - End.ROUTE_BYTES;
        fresh.add(end.memory.get((long) offset(slot) + End.ROUTE_BYTES, sizeBytes));
        expect(slot);
      }
    }
  }

  /** All that was ever heard. */
  List<byte[]> heard() {
    return heard;
  }

  /** Sends from here to the datagrams' pair of {@code side}, once it has gone. */
  void say(byte[] packet, LossySide side, int key) {
    end.address(side.nic.card(), side.port.datagrams().pair().number(), key);
    end.memory.put(0, packet, 0, packet.length);
    isSending = true;
    end.send(SLOTS, packet.length);
    Deadline deadline = Deadline.after(BUDGET);
    while (isSending) {
      take();
      assertFalse(deadline.isExpired(), "a datagram does not leave");
    }
  }

  @Override
  public void close() {
    end.close();
  }
}
