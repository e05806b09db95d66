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

/**
 * Receives parts of tensors, as {@link PartSender} sends them: long runs straight to where they
 * belong, short ones in a block first.
 */
public final class PartReceiver implements AutoCloseable {
  private final Link link;
  private final NativeMemory block = NativeMemory.allocate(PartSender.BLOCK_BYTES);

  /** A receiver on {@code link}. */
  public PartReceiver(Link link) {
    this.link = link;
  }

  /**
   * Receives {@code part} of a tensor into the whole of it at host address {@code address}; what it
   * adds to the whole's checksum.
   */
  public int receive(TensorSpec whole, long address, Box part) throws IOException {
    int size = whole.type().sizeBytes();
    BoxRuns runs = BoxRuns.of(part, whole.whole(), part);
    PartChecksum sum = new PartChecksum();
    boolean isLong = runs.runElements() * size >= PartSender.LONG_RUN_BYTES;
    Runs shortRuns = new Runs(part.elements() * size);
    try {
      runs.forEach(
          (from, to, elements) -> {
            long target = address + to * size;
            long length = elements * size;
            int crc = isLong ? receiveLong(target, length) : shortRuns.next(target, (int) length);
            sum.add(to * size, length, crc);
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return sum.of(whole.sizeBytes());
  }

  @Override
  public void close() {
    block.close();
  }

  private int receiveLong(long address, long sizeBytes) {
    try {
      Checksum checksum = new Checksum();
      link.receive(address, sizeBytes, checksum);
      return checksum.value();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Short runs of one length, as many at a time as the block holds. */
  private final class Runs {
    private long left;
    private int taken;
    private int filled;

    Runs(long sizeBytes) {
      this.left = sizeBytes;
    }

    int next(long address, int sizeBytes) {
      if (taken == filled) {
        fill(sizeBytes);
      }
      NativeMemory.copy(address, block.address(taken, sizeBytes), sizeBytes);
      taken += sizeBytes;
      return Checksum.of(address, sizeBytes);
    }

    private void fill(int sizeBytes) {
      filled = (int) Math.min(left, PartSender.BLOCK_BYTES / sizeBytes * (long) sizeBytes);
      taken = 0;
      left -= filled;
      receiveLong(block.address(0, filled), filled);
    }
  }
}
