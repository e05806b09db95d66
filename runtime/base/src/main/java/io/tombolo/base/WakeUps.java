// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/**
 * What may end a rest. Who is about to rest hands it to those he drives, right after a round in
 * which they had nothing to do; each says what gives it something to do again. A rest may end for
 * no reason at any time.
 */
public interface WakeUps {
  /**
   * {@code descriptor} can be read, or is at its end, when there is something to do. Whoever names
   * it takes what has come in its next rounds, or does not name it again: the rest would end at
   * once.
   */
  void on(int descriptor);

  /** There may be something to do in {@code delayNs}, even if nothing tells of it. */
  void within(long delayNs);

  /** There may be something to do at any time, and nothing tells of it: the next round is near. */
  default void soon() {
    within(0);
  }
}
