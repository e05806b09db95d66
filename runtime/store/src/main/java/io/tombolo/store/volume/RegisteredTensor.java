// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.NativeMemory;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.StridedTensor;

/**
 * A tensor that is read where its program has it, for as long as its registration lasts.
 *
 * @param registration of all tensors that were registered together
 * @param tensor where it lies
 */
record RegisteredTensor(TensorRegistration registration, StridedTensor tensor) {
  private static final int BLOCK_BYTES = 256 << 10;

  /**
   * Copies so many elements, in row-major order: few at a time, as the end of the registration
   * waits for it. Once that has come they are zeros.
   */
  void copy(long first, long count, long target) {
    if (!registration.read(() -> tensor.copy(first, count, target))) {
      NativeMemory.fill(target, (byte) 0, count * tensor.spec().type().sizeBytes());
    }
  }

  /** The CRC-32C of its bytes as they are now, row-major; of anything once it has ended. */
  int checksum() {
    int size = tensor.spec().type().sizeBytes();
    long elements = tensor.spec().sizeBytes() / size;
    Checksum checksum = new Checksum();
    try (NativeMemory block = NativeMemory.allocate(BLOCK_BYTES)) {
      for (long done = 0; done < elements; ) {
        long count = Math.min(elements - done, BLOCK_BYTES / size);
        copy(done, count, block.address());
        checksum.add(block.view(0, (int) count * size));
        done += count;
      }
    }
    return checksum.value();
  }
}
