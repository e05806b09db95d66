// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Has callers {@linkplain SlotPins#settle settle} slots before their calls begin. That waits for
 * all work of the device: nothing may be under way meanwhile, as it might wait for what this caller
 * is about to do, and no other caller may be about to begin anything. Thread-safe; makes no
 * garbage.
 */
public final class SlotSettling {
  private final SlotPins pins;
  private final BooleanSupplier isBusy;
  private final AtomicInteger callers = new AtomicInteger();

  /** Of {@code pins}; {@code isBusy}: whether any call or message is under way. */
  public SlotSettling(SlotPins pins, BooleanSupplier isBusy) {
    this.pins = pins;
    this.isBusy = isBusy;
  }

  /** Settles what can be; what the caller begins before it {@linkplain #leave leaves} is alone. */
  public void enter() {
    callers.incrementAndGet();
    if (pins.isUnsettled()) {
      settle();
    }
  }

  /** The call is under way, or has failed. */
  public void leave() {
    callers.decrementAndGet();
  }

  /** Slots are unsettled until they are pinned: who enters meanwhile waits here. */
  private synchronized void settle() {
    if (callers.get() == 1 && !isBusy.getAsBoolean()) {
      pins.settle();
    }
  }
}
