// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.base.errors.TomboloException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks of one kind of memory. Allocating and freeing may wait for all work of the device, also
 * for a stream that waits for the agent: so both are done by those who call, before they hold a
 * stream. The agent lends and takes back, and never waits. Thread-safe.
 *
 * <p>Blocks grow geometrically. Beyond {@code most} of them the smallest is retired when it comes
 * back, and freed by the next caller that allocates anyway.
 */
final class BlockPool<B extends Block> implements AutoCloseable {
  /** The size of the first blocks. */
  static final long SMALLEST_BYTES = 64 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(BlockPool.class);

  private final LongFunction<B> allocate;
  private final B none;
  private final int batch;
  private final int most;
  private final List<B> all = new ArrayList<>();
  private final List<B> free = new ArrayList<>();
  private final List<B> retired = new ArrayList<>();
  private int reserved;
  private int atOnce = 1;
  private boolean closed;

  /**
   * A pool of blocks that {@code allocate} makes, and of the smallest {@code batch} at once; {@code
   * none} stands for a block of no bytes.
   */
  BlockPool(LongFunction<B> allocate, B none, int batch, int most) {
    this.allocate = allocate;
    this.none = none;
    this.batch = batch;
    this.most = most;
    try {
      for (int i = 0; i < batch; i++) {
        add(allocate.apply(SMALLEST_BYTES));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Sees to it that a block of {@code sizeBytes} can be lent to a task that comes in: at once, or
   * when another task gives it back. Where no task is under way, as many as were under way at once
   * before; else one more would have to wait for a stream.
   */
  void reserve(long sizeBytes) {
    if (sizeBytes == 0) {
      return;
    }
    int missing = enter(sizeBytes);
    try {
      for (int i = 0; i < missing; i++) {
        grow(sizeBytes);
      }
    } catch (TomboloException e) {
      if (!has(sizeBytes)) {
        cancel(sizeBytes);
        throw e;
      }
      LOG.info("fewer tasks can run at once, for want of memory: {}", e.getMessage());
    }
  }

  private synchronized int enter(long sizeBytes) {
    int wanted = reserved == 0 ? atOnce : 1;
    reserved++;
    atOnce = Math.min(most, Math.max(atOnce, reserved));
    int fitting = 0;
    for (int i = 0; i < all.size(); i++) {
      fitting += all.get(i).sizeBytes() >= sizeBytes ? 1 : 0;
    }
    return Math.max(0, wanted - fitting);
  }

  private synchronized boolean has(long sizeBytes) {
    return all.stream().anyMatch(block -> block.sizeBytes() >= sizeBytes);
  }

  /** A task that was reserved for does not come in after all. */
  synchronized void cancel(long sizeBytes) {
    reserved -= sizeBytes == 0 ? 0 : 1;
  }

  private void grow(long sizeBytes) {
    takeRetired().forEach(Block::close);
    add(allocate.apply(rounded(sizeBytes)));
  }

  private synchronized List<B> takeRetired() {
    List<B> taken = List.copyOf(retired);
    retired.clear();
    return taken;
  }

  private void add(B block) {
    if (!isAdded(block)) {
      block.close();
    }
  }

  private synchronized boolean isAdded(B block) {
    if (!closed) {
      all.add(block);
      free.add(block);
    }
    return !closed;
  }

  /** Up to a quarter more, so that there are few sizes. */
  static long rounded(long sizeBytes) {
    long step = Math.max(SMALLEST_BYTES, Long.highestOneBit(sizeBytes) / 4);
    return (sizeBytes + step - 1) / step * step;
  }

  /** Whether {@link #lend} would; nobody else takes it meanwhile. */
  synchronized boolean canLend(long sizeBytes) {
    return sizeBytes == 0 || find(sizeBytes) >= 0;
  }

  /** The smallest block that suffices; it must be there. */
  synchronized B lend(long sizeBytes) {
    return sizeBytes == 0 ? none : free.remove(find(sizeBytes));
  }

  /**
   * As the other, of a new block if there is none: for callers, not for the agent. A batch is made
   * at once: a receive is mostly followed by a send, which the peer's receive waits for, and which
   * must not wait for the first.
   */
  B take(long sizeBytes) {
    Optional<B> present = taken(sizeBytes);
    while (present.isEmpty()) {
      growByABatch(sizeBytes);
      present = taken(sizeBytes);
    }
    return present.get();
  }

  /** By one at least: that there is no memory for more of them is no reason to refuse a call. */
  private void growByABatch(long sizeBytes) {
    grow(sizeBytes);
    try {
      for (int i = 1; i < batch; i++) {
        grow(sizeBytes);
      }
    } catch (TomboloException e) {
      LOG.info("fewer messages have memory of their own, for want of it: {}", e.getMessage());
    }
  }

  private synchronized Optional<B> taken(long sizeBytes) {
    if (closed || !canLend(sizeBytes)) {
      return closed ? Optional.of(none) : Optional.empty();
    }
    reserved += sizeBytes == 0 ? 0 : 1;
    return Optional.of(lend(sizeBytes));
  }

  private int find(long sizeBytes) {
    int best = -1;
    for (int i = 0; i < free.size(); i++) {
      long size = free.get(i).sizeBytes();
      if (size >= sizeBytes && (best < 0 || size < free.get(best).sizeBytes())) {
        best = i;
      }
    }
    return best;
  }

  /** {@code block} is not used any more. */
  synchronized void giveBack(B block) {
    if (block.sizeBytes() == 0) {
      return;
    }
    reserved--;
    free.add(block);
    if (all.size() > most) {
      B smallest = all.stream().min(Comparator.comparingLong(Block::sizeBytes)).orElseThrow();
      if (free.remove(smallest)) {
        all.remove(smallest);
        retired.add(smallest);
      }
    }
  }

  /** Frees all of it. */
  @Override
  public void close() {
    List<B> left;
    synchronized (this) {
      closed = true;
      left = new ArrayList<>(all);
      left.addAll(retired);
      retired.clear();
    }
    left.forEach(Block::close);
  }

  /**
   * Frees what is not lent, for good: after a failure, others may still write where a task was
   * under way.
   *
   * @return the bytes of what is lent, and left behind
   */
  long closeUnlent() {
    List<B> unlent;
    long lentBytes;
    synchronized (this) {
      closed = true;
      all.removeAll(free);
      unlent = new ArrayList<>(free);
      unlent.addAll(retired);
      free.clear();
      retired.clear();
      lentBytes = all.stream().mapToLong(Block::sizeBytes).sum();
    }
    unlent.forEach(Block::close);
    return lentBytes;
  }
}
