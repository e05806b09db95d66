// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.LongCell;
import java.util.List;

/**
 * The words of a {@link WordDoorbell}: they stay until the process ends, lent to one doorbell after
 * another. What is written to a word only grows, whoever writes it.
 */
final class DoorbellWords {
  private final LongCell[] starts = new LongCell[Doorbell.PAIRS];
  private final LongCell[] ends = new LongCell[Doorbell.PAIRS];
  private long last;

  DoorbellWords(DeviceAdaptor device) {
    List<LongCell> words = device.newWords(2 * Doorbell.PAIRS);
    for (int pair = 0; pair < Doorbell.PAIRS; pair++) {
      starts[pair] = words.get(2 * pair);
      ends[pair] = words.get(2 * pair + 1);
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
