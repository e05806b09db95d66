package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import java.util.Optional;

/**
 * New keys by binding memory windows again, on a queue pair that is connected to itself. A bind
 * takes microseconds; it is waited for, so that no peer learns a key that does not hold yet.
 */
final class WindowFence implements Fence {
  private static final int DEPTH = 4;

  /** Questions before a bind counts as failed: some milliseconds. */
  private static final int PATIENCE = 1 << 16;

  private final Nic nic;
  private final MemoryRegion slab;
  private final long slotBytes;
  private final CompletionEvents events;
  private final CompletionQueue queue;
  private final QueuePair pair;
  private final WorkCompletions completions;
  private final MemoryWindow[] windows;
  private long binds;
  private boolean broken;

  /** Fences {@code slots} slots of {@code slotBytes} in {@code slab}. */
  WindowFence(Nic nic, MemoryRegion slab, int slots, long slotBytes) {
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
              nic.domain()
                  .queuePair(
                      PairType.UC,
                      new PairQueues(queue, queue, Optional.empty(), DEPTH, DEPTH, 0)));
      pair.initialise(nic.port(), Access.REMOTE_WRITE);
      pair.connect(
          nic.routeTo(nic.card(), 0), new PairOptions(nic.card().mtu(), pair.number(), 0, 0));
      for (int slot = 0; slot < slots; slot++) {
        windows[slot] = stack.opened(nic.domain().window());
      }
      stack.keep();
    }
  }

  @Override
  public long renew(int slot) {
    if (broken) {
      return FAILED;
    }
    long address = slab.remoteAddress() + slot * slotBytes;
    int key = windows[slot].bind(pair, slab, address, slotBytes, ++binds);
    return isBound(binds) ? Integer.toUnsignedLong(key) : FAILED;
  }

  /** A bind that does not end leaves no key to trust: then no slot is handed out any more. */
  private boolean isBound(long id) {
    for (int asked = 0; asked < PATIENCE; asked++) {
      if (queue.poll(completions) > 0) {
        broken = completions.status(0) != WorkCompletions.SUCCESS || completions.id(0) != id;
        return !broken;
      }
      Thread.onSpinWait();
    }
    broken = true;
    return false;
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
