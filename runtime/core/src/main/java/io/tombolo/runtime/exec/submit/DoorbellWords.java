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
  private final List<LongCell> words;

  /** Made as they are first used: most communicators never have so many operations under way. */
  private final LongCell[] known;

  private long last;

  /** For {@code places} operations at once. */
  DoorbellWords(DeviceAdaptor device, int places) {
    words = device.newWords(2 * places);
    known = new LongCell[2 * places];
  }

  int places() {
    return known.length / 2;
  }

  LongCell start(long sequence) {
    return word(2 * placeOf(sequence));
  }

  LongCell end(long sequence) {
    return word(2 * placeOf(sequence) + 1);
  }

  private int placeOf(long sequence) {
    return (int) (sequence % places());
  }

  /** From any thread: it does no harm if two make the same. */
  private LongCell word(int index) {
    LongCell word = known[index];
    if (word == null) {
      word = words.get(index);
      known[index] = word;
    }
    return word;
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
