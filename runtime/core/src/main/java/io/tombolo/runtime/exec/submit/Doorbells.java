// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The doorbells of one device, opened and closed by the communicators of a process. Thread-safe.
 *
 * <p>Words outlive their doorbell. A stream that is late may still wait for the end of an operation
 * that everybody else has forgotten, and no runtime tells whether it has passed. So words are never
 * unmapped, nor unregistered, which might wait for such a stream: the next doorbell gets them and
 * counts on, and the late stream finds its wait fulfilled. That leaves 8 KiB for each doorbell that
 * was open at once.
 */
public final class Doorbells {
  private final DeviceAdaptor device;
  private final Queue<DoorbellWords> idle = new ConcurrentLinkedQueue<>();

  /** Of {@code device}; none is open. */
  public Doorbells(DeviceAdaptor device) {
    this.device = device;
  }

  DeviceAdaptor device() {
    return device;
  }

  /** A doorbell that {@code device}'s streams can work; it holds {@code holdable} ones only. */
  Doorbell open(HoldableStreams holdable) {
    if (device.isHostOrdered()) {
      return new EventDoorbell(device);
    }
    DoorbellWords words = idle.poll();
    return new WordDoorbell(
        device, words == null ? new DoorbellWords(device) : words, idle::add, holdable);
  }
}
