// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The doorbells of one device, opened and closed by the communicators of a process. Thread-safe.
 *
 * <p>Words outlive their doorbell. A stream that is late may still wait for the end of an operation
 * that everybody else has forgotten, and no runtime tells whether it has passed. So words are never
 * unmapped, nor unregistered, which might wait for such a stream: the next doorbell gets them and
 * counts on, and the late stream finds its wait fulfilled. That leaves 8 KiB for each doorbell that
 * was open at once, of 64 places as of 512.
 */
public final class Doorbells {
  private final DeviceAdaptor device;

  /** By the number of their places. */
  private final Map<Integer, Queue<DoorbellWords>> idle = new ConcurrentHashMap<>();

  /** Of {@code device}; none is open. */
  public Doorbells(DeviceAdaptor device) {
    this.device = device;
  }

  DeviceAdaptor device() {
    return device;
  }

  /**
   * A doorbell of {@code places} that {@code device}'s streams can work; it holds {@code holdable}
   * ones only.
   */
  Doorbell open(HoldableStreams holdable, int places) {
    if (device.isHostOrdered()) {
      return new EventDoorbell(device, places);
    }
    Queue<DoorbellWords> like =
        idle.computeIfAbsent(places, count -> new ConcurrentLinkedQueue<>());
    DoorbellWords words = like.poll();
    return new WordDoorbell(
        device, words == null ? new DoorbellWords(device, places) : words, like::add, holdable);
  }
}
