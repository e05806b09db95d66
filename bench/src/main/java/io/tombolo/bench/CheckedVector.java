// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.runtime.PinnedStage;
import java.nio.ByteBuffer;

/**
 * Fills and checks vectors in device memory with data that repeat: chunk by chunk, by way of pinned
 * memory. Not thread-safe.
 */
final class CheckedVector {
  private final PinnedStage stage;
  private final ByteBuffer host;
  private final int elementBytes;

  /** For elements of {@code elementBytes}; chunks are as large as {@code stage}. */
  CheckedVector(PinnedStage stage, int elementBytes) {
    this.stage = stage;
    this.host = stage.bytes();
    this.elementBytes = elementBytes;
  }

  /**
   * Writes {@code chunk}, again and again, over {@code sizeBytes} at device address {@code
   * address}.
   */
  void fill(long address, long sizeBytes, byte[] chunk) {
    host.put(0, chunk);
    for (long at = 0; at < sizeBytes; at += chunk.length) {
      stage.write(address + at, Math.min(chunk.length, sizeBytes - at));
    }
  }

  /** As {@link #fill}, with the complement of {@code chunk}: no element is as in {@code chunk}. */
  void poison(long address, long sizeBytes, byte[] chunk) {
    byte[] complement = new byte[chunk.length];
    for (int i = 0; i < chunk.length; i++) {
      complement[i] = (byte) ~chunk[i];
    }
    fill(address, sizeBytes, complement);
  }

  /**
   * How many of the elements in {@code sizeBytes} at {@code address} differ from the repeated
   * {@code chunk}.
   */
  long countWrong(long address, long sizeBytes, byte[] chunk) {
    long wrong = 0;
    for (long at = 0; at < sizeBytes; at += chunk.length) {
      int length = (int) Math.min(chunk.length, sizeBytes - at);
      stage.read(address + at, length);
      wrong +=
          Mismatches.count(host.slice(0, length), ByteBuffer.wrap(chunk, 0, length), elementBytes);
    }
    return wrong;
  }

  /** Damages the first chunk of a result; whether it did. */
  void damage(long address, long sizeBytes, int chunkBytes, Injection injection) {
    int length = (int) Math.min(chunkBytes, sizeBytes);
    if (length == 0) {
      return;
    }
    stage.read(address, length);
    if (injection.damage(host, length)) {
      stage.write(address, length);
    }
  }
}
