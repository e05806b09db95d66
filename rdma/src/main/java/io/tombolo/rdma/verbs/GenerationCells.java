// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.ResourceException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Words by which readers see whether what they have read was still theirs to read: one for each
 * {@link Exposure}, which holds its generation until it is withdrawn. A key alone does not tell
 * that: NICs step 8 bits of it, so an old one may be the key of other memory later.
 *
 * <p>A word is used again, but never with a value that it has had; and it begins at random, so that
 * the words of a later process are not taken for these. Peers may read them for as long as they are
 * there. Thread-safe, but for {@link #close}.
 */
final class GenerationCells implements AutoCloseable {
  /** How many there are; who reads knows it, too. */
  static final int COUNT = 4096;

  private final NativeMemory memory;
  private final MemoryRegion region;
  private final Deque<Integer> free = new ArrayDeque<>(COUNT);

  GenerationCells(ProtectionDomain domain) {
    try (CloseStack stack = new CloseStack()) {
      memory = stack.opened(NativeMemory.allocate((long) COUNT * Long.BYTES));
      region = stack.opened(domain.register(memory, Access.REMOTE_READ));
      stack.keep();
    }
    SecureRandom random = new SecureRandom();
    for (int cell = 0; cell < COUNT; cell++) {
      word(cell).setVolatile(random.nextLong());
      free.add(cell);
    }
  }

  /** What peers' reads of them must show. */
  int remoteKey() {
    return region.remoteKey();
  }

  /** How peers' reads name the first of them. */
  long remoteAddress() {
    return region.remoteAddress();
  }

  /** One that nobody uses; it has its {@link #generation}. */
  synchronized int raise() {
    if (free.isEmpty()) {
      throw new ResourceException(
          "a process exposes at most " + COUNT + " pieces of memory; withdraw some first");
    }
    return free.remove();
  }

  /** What {@code cell} holds. */
  long generation(int cell) {
    return word(cell).getVolatile();
  }

  /** Ends the generation of {@code cell}: peers see this before anything written afterwards. */
  synchronized void drop(int cell) {
    LongCell word = word(cell);
    word.setVolatile(word.getVolatile() + 1);
    free.add(cell);
  }

  private LongCell word(int cell) {
    return memory.cell((long) cell * Long.BYTES);
  }

  @Override
  public void close() {
    region.close();
    memory.close();
  }
}
