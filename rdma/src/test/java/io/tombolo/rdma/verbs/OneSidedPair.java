// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

/**
 * A holder and a reader on two devices, with a way between them. For one thread, but for blocks.
 */
final class OneSidedPair implements AutoCloseable {
  static final int SIZE_BYTES = 1 << 20;

  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final byte UNTOUCHED = 0x55;

  final OneSided holder = OneSided.open(Devices.open(0));
  final OneSided reader = OneSided.open(Devices.open(1));
  final NativeMemory held = NativeMemory.allocate(SIZE_BYTES);
  final NativeMemory got = NativeMemory.allocate(SIZE_BYTES);
  final ReadTarget target = reader.target(block(got));
  HolderEnd holderEnd;
  ReaderEnd readerEnd;

  OneSidedPair() {
    connect();
  }

  /** Makes the way there, in place of the one that may be. */
  void connect() {
    closeEnds();
    readerEnd = reader.readerEnd("the holder at test:1");
    holderEnd = holder.holderEnd();
    holderEnd.connect(readerEnd.card());
    readerEnd.connect(holderEnd.card());
  }

  static MemoryBlock block(NativeMemory memory) {
    return new MemoryBlock(memory.sizeBytes(), () -> new MemoryExport.Host(memory.address()));
  }

  Exposure expose(String what) {
    return holder.expose(what, block(held));
  }

  /** Fills what is held with what {@code seed} makes; all of it. */
  byte[] fill(long seed) {
    byte[] bytes = new byte[SIZE_BYTES];
    new Random(seed).nextBytes(bytes);
    held.put(0, bytes, 0, SIZE_BYTES);
    return bytes;
  }

  /** Reads all of {@code from} to where nothing is left of what was read before. */
  byte[] readAll(RemoteMemory from) {
    NativeMemory.fill(got.address(), UNTOUCHED, SIZE_BYTES);
    read(from, 0, 0, SIZE_BYTES);
    return got.get(0, SIZE_BYTES);
  }

  void read(RemoteMemory from, long offset, long toOffset, long sizeBytes) {
    readerEnd.read(from, offset, target, toOffset, sizeBytes, Deadline.after(BUDGET));
  }

  /** Whether nothing but {@code sizeBytes} from {@code offset} on was read to. */
  boolean isUntouchedBeside(long offset, int sizeBytes) {
    byte[] bytes = got.get(0, SIZE_BYTES);
    Arrays.fill(bytes, (int) offset, (int) offset + sizeBytes, UNTOUCHED);
    byte[] untouched = new byte[SIZE_BYTES];
    Arrays.fill(untouched, UNTOUCHED);
    return Arrays.equals(bytes, untouched);
  }

  void touchNothing() {
    NativeMemory.fill(got.address(), UNTOUCHED, SIZE_BYTES);
  }

  private void closeEnds() {
    if (readerEnd != null) {
      readerEnd.close();
    }
    if (holderEnd != null) {
      holderEnd.close();
    }
  }

  @Override
  public void close() {
    try (CloseStack stack = new CloseStack()) {
      stack.opened(got);
      stack.opened(held);
      stack.opened(reader);
      stack.opened(holder);
      stack.opened(target);
      closeEnds();
    }
  }
}
