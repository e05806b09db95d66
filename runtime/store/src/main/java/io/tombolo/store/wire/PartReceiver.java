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
  /** Told of each run: where it begins in the part and in memory, its length, and its checksum. */
  private interface Sum {
    void add(long from, long to, long sizeBytes, int crc);
  }

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
    PartChecksum sum = new PartChecksum();
    receive(whole, whole.whole(), address, part, (from, to, bytes, crc) -> sum.add(to, bytes, crc));
    return sum.of(whole.sizeBytes());
  }

  /**
   * Receives {@code part} of a tensor into memory of {@code held}, a larger part of it, at host
   * address {@code address}; the checksum of what has come.
   */
  public int receive(TensorSpec whole, Box held, long address, Box part) throws IOException {
    PartChecksum sum = new PartChecksum();
    receive(whole, held, address, part, (from, to, bytes, crc) -> sum.add(from, bytes, crc));
    long sizeBytes = whole.part(part).sizeBytes();
    return PartChecksum.whole(sizeBytes, sum.of(sizeBytes));
  }

  private void receive(TensorSpec whole, Box held, long address, Box part, Sum sum)
      throws IOException {
    int size = whole.type().sizeBytes();
    BoxRuns runs = BoxRuns.of(part, held, part);
    boolean isLong = runs.runElements() * size >= PartSender.LONG_RUN_BYTES;
    Runs shortRuns = new Runs(part.elements() * size);
    try {
      runs.forEach(
          (from, to, elements) -> {
            long target = address + to * size;
            long length = elements * size;
            int crc = isLong ? receiveLong(target, length) : shortRuns.next(target, (int) length);
            sum.add(from * size, to * size, length, crc);
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
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
