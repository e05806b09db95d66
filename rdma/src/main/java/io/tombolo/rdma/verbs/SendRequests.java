// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.NativeMemory;
import java.nio.ByteBuffer;

/**
 * A batch of send requests, laid out off-heap where the C side reads them: 64 bytes each, native
 * byte order (work.h, send_record). Allocates nothing after construction.
 */
final class SendRequests implements AutoCloseable {
  /** Ask for a completion. */
  static final int SIGNALLED = 1;

  /** The payload is copied into the request, and may be reused at once. */
  static final int INLINE = 2;

  /** Request kinds; work.h has the same numbers. */
  static final int WRITE = 0;

  static final int WRITE_WITH_IMMEDIATE = 1;
  static final int SEND = 2;

  /** Reads of reliable connections: the request's own memory is where the bytes go. */
  static final int READ = 4;

  private static final int SIZE_BYTES = 64;
  private static final int ID = 0;
  private static final int ADDRESS = 8;
  private static final int REMOTE_ADDRESS = 16;
  private static final int PEER = 24;
  private static final int LENGTH = 32;
  private static final int LOCAL_KEY = 36;
  private static final int REMOTE_KEY = 40;
  private static final int IMMEDIATE = 44;
  private static final int REMOTE_PAIR = 48;
  private static final int REMOTE_PAIR_KEY = 52;
  private static final int OPCODE = 56;
  private static final int FLAGS = 57;

  private final NativeMemory memory;
  private final ByteBuffer records;
  private final int capacity;
  private int count;
  private int at;

  SendRequests(int capacity) {
    this.capacity = capacity;
    memory = NativeMemory.allocate((long) capacity * SIZE_BYTES);
    records = memory.view(0, capacity * SIZE_BYTES);
  }

  int count() {
    return count;
  }

  boolean isFull() {
    return count == capacity;
  }

  void clear() {
    count = 0;
  }

  long address() {
    return memory.address();
  }

  /** Begins a request for {@code length} bytes at {@code address}, under {@code localKey}. */
  SendRequests add(int opcode, long id, long address, int length, int localKey) {
    at = count++ * SIZE_BYTES;
    records.putLong(at + ID, id);
    records.putLong(at + ADDRESS, address);
    records.putInt(at + LENGTH, length);
    records.putInt(at + LOCAL_KEY, localKey);
    records.put(at + OPCODE, (byte) opcode);
    records.put(at + FLAGS, (byte) 0);
    return this;
  }

  /** Where the request's payload goes in the peer's memory, or comes from. */
  SendRequests to(long remoteAddress, int remoteKey) {
    records.putLong(at + REMOTE_ADDRESS, remoteAddress);
    records.putInt(at + REMOTE_KEY, remoteKey);
    return this;
  }

  /** To whom a datagram goes. */
  SendRequests to(PeerAddress peer, int remotePair, int remotePairKey) {
    records.putLong(at + PEER, peer.handle());
    records.putInt(at + REMOTE_PAIR, remotePair);
    records.putInt(at + REMOTE_PAIR_KEY, remotePairKey);
    return this;
  }

  SendRequests immediate(int value) {
    records.putInt(at + IMMEDIATE, value);
    return this;
  }

  /** Adds {@code flags} to the request begun last. */
  SendRequests with(int flags) {
    records.put(at + FLAGS, (byte) (records.get(at + FLAGS) | flags));
    return this;
  }

  @Override
  public void close() {
    memory.close();
  }
}
