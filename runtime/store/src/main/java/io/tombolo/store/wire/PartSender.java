// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.NativeMemory;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.memory.PartChecksum;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * Sends parts of tensors, row-major: long runs straight from where they lie, short ones gathered in
 * a block first. Nothing is read where it lies once the call that sends it has returned.
 */
public final class PartSender implements AutoCloseable {
  /** What can be copied of a tensor that lies anyhow. */
  public interface Elements {
    /** Copies {@code count} elements from the {@code first} on, row-major, to a host address. */
    void copy(long first, long count, long target);
  }

  static final int BLOCK_BYTES = 256 << 10;
  static final int LONG_RUN_BYTES = 16 << 10;

  private final Link link;
  private Optional<NativeMemory> block = Optional.empty();
  private int gathered;

  /** A sender on {@code link}; {@link #flush} comes after the last part. */
  public PartSender(Link link) {
    this.link = link;
  }

  /** Sends {@code part} of the tensor at host address {@code address}. */
  public void send(TensorSpec spec, long address, Box part) throws IOException {
    int size = spec.type().sizeBytes();
    try {
      BoxRuns.of(spec.whole(), part, part)
          .forEach((from, to, elements) -> send(address + from * size, elements * size));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Sends {@code part} of a tensor, of which {@code held} is at host address {@code address}; what
   * it adds to the whole tensor's checksum.
   */
  public int send(TensorSpec whole, Box held, long address, Box part) throws IOException {
    int size = whole.type().sizeBytes();
    PartChecksum sum = new PartChecksum();
    try {
      BoxRuns.of(held, whole.whole(), part)
          .forEach(
              (from, to, elements) ->
                  sum.add(
                      to * size,
                      elements * size,
                      sendSummed(address + from * size, elements * size)));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return sum.of(whole.sizeBytes());
  }

  /** Sends {@code part} of a tensor, gathered in blocks. */
  public void send(TensorSpec spec, Elements tensor, Box part) throws IOException {
    int size = spec.type().sizeBytes();
    try {
      BoxRuns.of(spec.whole(), part, part)
          .forEach((from, to, elements) -> gather(tensor, from, elements, size));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Sends what is still in the block. */
  public void flush() throws IOException {
    if (gathered > 0) {
      link.send(block().view(0, gathered));
      gathered = 0;
    }
  }

  @Override
  public void close() {
    block.ifPresent(NativeMemory::close);
  }

  /** Where short runs are gathered; most tensors have none. */
  private NativeMemory block() {
    if (block.isEmpty()) {
      block = Optional.of(NativeMemory.allocate(BLOCK_BYTES));
    }
    return block.get();
  }

  private void send(long address, long sizeBytes) {
    if (sizeBytes < LONG_RUN_BYTES) {
      gather(address, (int) sizeBytes);
      return;
    }
    try {
      flush();
      link.send(address, sizeBytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int sendSummed(long address, long sizeBytes) {
    if (sizeBytes >= LONG_RUN_BYTES) {
      return sendLong(address, sizeBytes);
    }
    gather(address, (int) sizeBytes);
    return Checksum.of(address, sizeBytes);
  }

  private int sendLong(long address, long sizeBytes) {
    try {
      flush();
      Checksum checksum = new Checksum();
      link.send(address, sizeBytes, checksum);
      return checksum.value();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void gather(Elements tensor, long first, long elements, int size) {
    try {
      for (long done = 0; done < elements; ) {
        if (gathered + size > BLOCK_BYTES) {
          flush();
        }
        long count = Math.min(elements - done, (BLOCK_BYTES - gathered) / size);
        tensor.copy(first + done, count, block().address(gathered, count * size));
        gathered += (int) count * size;
        done += count;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void gather(long address, int sizeBytes) {
    try {
      if (gathered + sizeBytes > BLOCK_BYTES) {
        flush();
      }
      NativeMemory.copy(block().address(gathered, sizeBytes), address, sizeBytes);
      gathered += sizeBytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
