// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.NativeMemory;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.Link;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Sends a part of a tensor, row-major: long runs straight from where they lie, short ones gathered
 * in a block first.
 */
final class PartSender implements AutoCloseable {
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int LONG_RUN_BYTES = 16 << 10;

  private final Link link;
  private final NativeMemory block = NativeMemory.allocate(BLOCK_BYTES);
  private int gathered;

  PartSender(Link link) {
    this.link = link;
  }

  /** Sends {@code part} of the tensor at host address {@code address}. */
  void send(TensorSpec spec, long address, Box part) throws IOException {
    int size = spec.type().sizeBytes();
    try {
      BoxRuns.of(spec.whole(), part, part)
          .forEach((from, to, elements) -> send(address + from * size, elements * size));
      flush();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void close() {
    block.close();
  }

  private void send(long address, long sizeBytes) {
    try {
      if (sizeBytes >= LONG_RUN_BYTES) {
        flush();
        link.send(address, sizeBytes, new Checksum());
        return;
      }
      if (gathered + sizeBytes > BLOCK_BYTES) {
        flush();
      }
      NativeMemory.copy(block.address(gathered, sizeBytes), address, sizeBytes);
      gathered += (int) sizeBytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void flush() throws IOException {
    link.send(block.view(0, gathered));
    gathered = 0;
  }
}
