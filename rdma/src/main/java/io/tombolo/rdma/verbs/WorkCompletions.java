// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.NativeMemory;
import java.nio.ByteBuffer;

/**
 * Finished requests, as the C side lays them out off-heap: 40 bytes each (work.h,
 * completion_record). Of a failed one only id, status, queue pair and vendor's code are defined.
 */
final class WorkCompletions implements AutoCloseable {
  /** Done. Numbers are those of ibv_wc_status. */
  static final int SUCCESS = 0;

  /** The queue pair was in error, or went, before this request's turn. */
  static final int FLUSHED = 5;

  /** The peer takes no such request: the first of those that it, or the way to it, fails. */
  private static final int REMOTE_REQUEST = 9;

  /** A key that does not, or no longer, allow it. */
  static final int REMOTE_ACCESS = 10;

  /** The peer has not answered, however often it was asked. */
  static final int NO_ANSWER = 12;

  /** The peer had no receive for it, however often it was asked: the last of those. */
  private static final int NO_RECEIVE = 13;

  private static final int SIZE_BYTES = 40;
  private static final int STATUS = 8;
  private static final int BYTES = 12;
  private static final int IMMEDIATE = 16;
  private static final int PAIR = 20;
  private static final int VENDOR_CODE = 28;
  private static final int HAS_IMMEDIATE = 32;

  private final NativeMemory memory;
  private final ByteBuffer records;
  private final int capacity;
  private int count;

  WorkCompletions(int capacity) {
    this.capacity = capacity;
    memory = NativeMemory.allocate((long) capacity * SIZE_BYTES);
    records = memory.view(0, capacity * SIZE_BYTES);
  }

  /** Whether a request with {@code status} was failed by the peer, or by the way to it. */
  static boolean isOfPeer(int status) {
    return status >= REMOTE_REQUEST && status <= NO_RECEIVE;
  }

  int capacity() {
    return capacity;
  }

  long address() {
    return memory.address();
  }

  void holds(int found) {
    count = found;
  }

  int count() {
    return count;
  }

  long id(int index) {
    return records.getLong(index * SIZE_BYTES);
  }

  int status(int index) {
    return field(index, STATUS);
  }

  /** Bytes received. */
  int bytes(int index) {
    return field(index, BYTES);
  }

  boolean hasImmediate(int index) {
    return field(index, HAS_IMMEDIATE) != 0;
  }

  int immediate(int index) {
    return field(index, IMMEDIATE);
  }

  /** The number of the queue pair whose request it was. */
  int pair(int index) {
    return field(index, PAIR);
  }

  int vendorCode(int index) {
    return field(index, VENDOR_CODE);
  }

  private int field(int index, int offset) {
    return records.getInt(index * SIZE_BYTES + offset);
  }

  @Override
  public void close() {
    memory.close();
  }
}
