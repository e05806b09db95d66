// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.CorruptException;
import java.util.Arrays;

/** Which slots the peer has granted last. Used by one thread. */
final class GrantedSlots {
  private static final long NONE = -1;

  private final long[] sequences;

  GrantedSlots(int slots) {
    sequences = new long[slots];
    Arrays.fill(sequences, NONE);
  }

  /**
   * Takes the grant that came with {@code value}: its slot's sequence, less the highest bits. An
   * adapter may place a count before a grant that was sent first, so a grant can be late, but not
   * by more than two laps: no count follows one that is not acknowledged.
   *
   * @param published how many slots were sent
   * @throws CorruptException for a slot that no honest peer grants now
   */
  void add(int value, long published) {
    long sequence = published + ((value - (int) published) << 1 >> 1);
    int slots = sequences.length;
    if (sequence < 0 || sequence >= published + slots || published - sequence > 2L * slots) {
      throw new CorruptException(
          "the peer grants slot " + sequence + " where those around " + published + " are due");
    }
    sequences[slotOf(sequence)] = sequence;
  }

  /** Whether the grant for {@code sequence} is here, and no later one of its slot. */
  boolean has(long sequence) {
    return sequences[slotOf(sequence)] == sequence;
  }

  private int slotOf(long sequence) {
    return (int) (sequence % sequences.length);
  }
}
