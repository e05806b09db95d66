// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.FabricException;
import java.time.Duration;
import java.util.Optional;

/**
 * New keys by binding memory windows again, on a queue pair that is connected to itself. A bind
 * takes microseconds on a device that is not busy; no peer learns a key that does not hold yet.
 */
final class WindowFence implements Fence {
  private static final int DEPTH = 4;

  private static final int NONE = -1;

  /** A bind that has not ended by then never will. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How often to look before others have their turn: some microseconds. */
  private static final int LOOKS = 256;

  private final NicPort nic;
  private final MemoryRegion slab;
  private final long slotBytes;
  private final CompletionEvents events;
  private final CompletionQueue queue;
  private final QueuePair pair;
  private final WorkCompletions completions;
  private final MemoryWindow[] windows;
  private int binding = NONE;
  private long key;
  private long binds;
  private Deadline deadline;

  /** Fences {@code slots} slots of {@code slotBytes} in {@code slab}. */
  WindowFence(NicPort nic, MemoryRegion slab, int slots, long slotBytes) {
    this.nic = nic;
    this.slab = slab;
    this.slotBytes = slotBytes;
    windows = new MemoryWindow[slots];
    try (CloseStack stack = new CloseStack()) {
      completions = stack.opened(new WorkCompletions(DEPTH));
      events = stack.opened(nic.device().events());
      queue = stack.opened(nic.device().completionQueue(2 * DEPTH, events));
      pair =
          stack.opened(
              nic.queuePair(
                  PairType.UC, new PairQueues(queue, queue, Optional.empty(), DEPTH, DEPTH, 0)));
      pair.initialise(nic, Access.REMOTE_WRITE);
      pair.connect(
          nic.routeTo(nic.card(), 0), new PairOptions(nic.card().mtu(), pair.number(), 0, 0));
      for (int slot = 0; slot < slots; slot++) {
        windows[slot] = stack.opened(nic.domain().window());
      }
      stack.keep();
    }
  }

  /**
   * One bind at a time. Where another slot is asked for meanwhile, the end of the last bind is
   * waited for all the same; its slot gets one more when its turn comes.
   *
   * @throws FabricException if a bind fails, or does not end: then there is no key to trust
   */
  @Override
  public long renew(int slot) {
    if (binding != slot) {
      if (binding != NONE && !hasEnded()) {
        return PENDING;
      }
      bind(slot);
    }
    if (!hasEnded()) {
      return PENDING;
    }
    binding = NONE;
    return key;
  }

  private void bind(int slot) {
    long address = slab.remoteAddress() + slot * slotBytes;
    deadline = Deadline.after(PATIENCE);
    key = Integer.toUnsignedLong(windows[slot].bind(pair, slab, address, slotBytes, ++binds));
    binding = slot;
  }

  private boolean hasEnded() {
    for (int looks = 0; looks < LOOKS; looks++) {
      if (queue.poll(completions) > 0) {
        return isGood();
      }
      Thread.onSpinWait();
    }
    if (deadline.isExpired()) {
      throw new FabricException(
          "binding a memory window on "
              + nic
              + " has not ended: "
              + deadline
              + nic.events().portNote(),
          0);
    }
    return false;
  }

  private boolean isGood() {
    int status = completions.status(0);
    if (status != WorkCompletions.SUCCESS || completions.id(0) != binds) {
      throw new FabricException(
          "binding a memory window on " + nic + " failed: " + queue.statusText(status), status);
    }
    return true;
  }

  @Override
  public String toString() {
    return "memory windows on " + nic;
  }

  @Override
  public void close() {
    for (MemoryWindow window : windows) {
      window.close();
    }
    pair.close();
    queue.close();
    events.close();
    completions.close();
  }
}
