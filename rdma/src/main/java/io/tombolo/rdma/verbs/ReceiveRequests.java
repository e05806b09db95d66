// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.FabricException;
import java.nio.ByteBuffer;

/**
 * A batch of receive requests, laid out off-heap where the C side reads them: 24 bytes each
 * (work.h, receive_record).
 */
final class ReceiveRequests implements AutoCloseable {
  private static final int SIZE_BYTES = 24;
  private static final int ADDRESS = 8;
  private static final int LENGTH = 16;
  private static final int LOCAL_KEY = 20;

  private final NativeMemory memory;
  private final ByteBuffer records;
  private final int capacity;
  private int count;

  ReceiveRequests(int capacity) {
    this.capacity = capacity;
    memory = NativeMemory.allocate((long) capacity * SIZE_BYTES);
    records = memory.view(0, capacity * SIZE_BYTES);
  }

  boolean isFull() {
    return count == capacity;
  }

  boolean isEmpty() {
    return count == 0;
  }

  void add(long id, long address, int length, int localKey) {
    int at = count++ * SIZE_BYTES;
    records.putLong(at, id);
    records.putLong(at + ADDRESS, address);
    records.putInt(at + LENGTH, length);
    records.putInt(at + LOCAL_KEY, localKey);
  }

  /** Posts all to {@code queue}, which the caller knows to have room. */
  void postTo(ReceiveQueue queue) {
    int wanted = count;
    count = 0;
    int posted = queue.post(memory.address(), wanted);
    VerbsErrors.check("post receives", posted);
    if (posted < wanted) {
      throw new FabricException(
          "a receive queue took " + posted + " of " + wanted + " requests", posted);
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
