// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

/**
 * Refuses, in tests, what a round must not call. Rounds move operations forward: whoever makes one
 * writes the words that held streams wait for, so a call that waits for the device may wait for
 * itself, and a real device hangs. On where the environment has {@link #VARIABLE}, above whatever
 * library, real or emulated; else it costs nothing.
 */
public final class RoundCheck {
  /** Set to 1, it switches the check on. */
  public static final String VARIABLE = "TOMBOLO_CHECK_ROUNDS";

  private static final boolean ON = "1".equals(System.getenv(VARIABLE));

  private RoundCheck() {}

  static boolean isOn() {
    return ON;
  }

  /**
   * From now on the calling thread makes a round: of a device's calls, those that its row does not
   * declare safe are {@link IllegalStateException}s that name the call and the thread.
   */
  public static void enter() {
    if (ON) {
      DeviceLibrary.enterRound();
    }
  }

  /** The calling thread's round is over. */
  public static void leave() {
    if (ON) {
      DeviceLibrary.leaveRound();
    }
  }
}
