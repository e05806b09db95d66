// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pins fabrics' memory for a device. That may wait for all work of the device, so the agent never
 * does it: what fabrics are opened with is pinned at once, while nothing is under way; the slots of
 * channels that open later are pinned by a caller who {@linkplain #settle settles}, before it holds
 * a stream. So is unpinned, and only then unmapped, what channels have left.
 *
 * <p>Thread-safe: the agent adopts and closes while a caller settles.
 */
public final class SlotPins implements HostPinner, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SlotPins.class);
  private static final long PAGE_BYTES = 4096;

  private final DeviceAdaptor device;
  private final Queue<Slots> unsettled = new ConcurrentLinkedQueue<>();
  private volatile boolean sealed;

  /** For {@code device}, which outlives it. */
  public SlotPins(DeviceAdaptor device) {
    this.device = device;
  }

  @Override
  public boolean isForHost() {
    return device.isHost();
  }

  /** Pins what a fabric is opened with; nothing once this is sealed. */
  @Override
  public Pin pin(long address, long sizeBytes) {
    if (sealed) {
      return () -> {};
    }
    return device.freesAfterFailures()
        ? device.register(address, sizeBytes)::close
        : new DevicePin(device, address, sizeBytes);
  }

  /** From now on only {@link #settle} pins. */
  public void seal() {
    sealed = true;
  }

  /**
   * Whether the device reaches host memory that is registered with it, at the address that the host
   * has for it. May wait for all work of the device.
   */
  public boolean reachSlots() {
    if (device.isHost()) {
      return false;
    }
    try (NativeMemory page = NativeMemory.allocate(PAGE_BYTES);
        DeviceMemory pinned = device.register(page.address(), PAGE_BYTES)) {
      return device.reaches(pinned.address(), PAGE_BYTES);
    } catch (TomboloException e) {
      LOG.debug("slots cannot be pinned: {}", e.getMessage());
      return false;
    }
  }

  @Override
  public Pin adopt(NativeMemory memory) {
    Slots slots = new Slots(memory);
    unsettled.add(slots);
    return slots::leave;
  }

  /** Whether there is something to {@link #settle}, or that is under way. */
  public boolean isUnsettled() {
    return !unsettled.isEmpty();
  }

  /**
   * Pins what was adopted, and frees what was left, since the last time. Waits for all work of the
   * device: for one caller at a time, while nothing is under way that may wait for it.
   */
  public void settle() {
    for (Slots slots = unsettled.peek(); slots != null; slots = unsettled.peek()) {
      slots.settle();
      unsettled.remove();
    }
  }

  /** Frees what was left. */
  @Override
  public void close() {
    for (Slots slots = unsettled.poll(); slots != null; slots = unsettled.poll()) {
      slots.freeIfLeft();
    }
  }

  private enum State {
    UNPINNED,
    PINNING,
    PINNED,
    /** No channel uses it any more. */
    LEFT
  }

  /** The slots of one channel. */
  private final class Slots {
    private final NativeMemory memory;
    private final AtomicReference<State> state = new AtomicReference<>(State.UNPINNED);
    private DeviceMemory pinned; // of who has made it PINNING, or LEFT after that

    Slots(NativeMemory memory) {
      this.memory = memory;
    }

    void settle() {
      if (state.compareAndSet(State.UNPINNED, State.PINNING)) {
        boolean isPinned = pinNow();
        State next = isPinned ? State.PINNED : State.UNPINNED;
        if (!state.compareAndSet(State.PINNING, next)) {
          free();
        }
      } else {
        freeIfLeft();
      }
    }

    private boolean pinNow() {
      try {
        pinned = device.register(memory.address(), memory.sizeBytes());
        return true;
      } catch (TomboloException e) {
        LOG.warn(
            "{} bytes of slots cannot be pinned, so a processor copies between them and the device:"
                + " {}",
            memory.sizeBytes(),
            e.getMessage());
        return false;
      }
    }

    /** On the agent's thread, which never waits: whoever settles next frees what is pinned. */
    void leave() {
      State before = state.getAndSet(State.LEFT);
      switch (before) {
        case UNPINNED -> memory.close();
        case PINNED -> unsettled.add(this);
        case PINNING, LEFT -> {} // who pins sees it; or it was left before
      }
    }

    void freeIfLeft() {
      if (state.get() == State.LEFT) {
        free();
      }
    }

    /**
     * What a stuck device may still use stays pinned and mapped. The host is none: it copies to and
     * from slots on the thread that has closed the channel.
     */
    private void free() {
      if (pinned != null) {
        pinned.close();
        pinned = null;
      }
      if (!device.isTainted() || device.freesAfterFailures()) {
        memory.close();
      }
    }
  }
}
