// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;

/**
 * The words of a {@link WordDoorbell}: pinned memory that stays until the process ends, lent to one
 * doorbell after another. What is written to a word only grows, whoever writes it.
 */
final class DoorbellWords {
  /** Each word has a cache line to itself: two sides poll them. */
  private static final int LINE_BYTES = 64;

  private final LongCell[] starts = new LongCell[Doorbell.PAIRS];
  private final LongCell[] ends = new LongCell[Doorbell.PAIRS];
  private long last;

  DoorbellWords(DeviceAdaptor device) {
    NativeMemory words = NativeMemory.allocate(2L * Doorbell.PAIRS * LINE_BYTES);
    device.register(words.address(), words.sizeBytes()); // for good
    for (int pair = 0; pair < Doorbell.PAIRS; pair++) {
      starts[pair] = words.cell(2L * pair * LINE_BYTES);
      ends[pair] = words.cell((2L * pair + 1) * LINE_BYTES);
    }
  }

  LongCell start(int pair) {
    return starts[pair];
  }

  LongCell end(int pair) {
    return ends[pair];
  }

  /** What no word is above: the next doorbell counts on from here. */
  long last() {
    return last;
  }

  /** A doorbell has written up to {@code value}. */
  void reached(long value) {
    last = value;
  }
}
