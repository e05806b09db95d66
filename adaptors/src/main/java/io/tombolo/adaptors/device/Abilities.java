// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.base.errors.UnsupportedException;

/**
 * What a device is able to do of what its runtime has calls for. It is asked for, never assumed;
 * where a row has no question, it is tried, or what its runtime documents is believed.
 *
 * @param streamsWait whether streams may wait for 64-bit words, and write them
 * @param isSaidThatStreamsWait whether the device has said so, or the shim has them wait in a way
 *     of its own; else it is to be tried
 * @param hostPointers whether registered host memory has one address for host and device
 * @param flushes whether remote writes can be flushed
 */
record Abilities(
    boolean streamsWait, boolean isSaidThatStreamsWait, boolean hostPointers, boolean flushes) {
  private static final int HOST_FLUSHES = 1;

  /** Asks the device behind {@code handle}. */
  static Abilities of(long handle, DeviceDialect dialect) {
    int flushOptions = ask(handle, dialect, Constant.FLUSH_OPTIONS);
    return new Abilities(
        !dialect.isHostOrdered() && ask(handle, dialect, Constant.CAN_WAIT_FOR_WORDS) != 0,
        dialect.constants().containsKey(Constant.CAN_WAIT_FOR_WORDS)
            || !dialect.symbols().containsKey(Role.WAIT_VALUE),
        ask(handle, dialect, Constant.CAN_USE_HOST_POINTERS) != 0,
        dialect.symbols().containsKey(Role.FLUSH) && (flushOptions & HOST_FLUSHES) != 0);
  }

  /** -1, and so every bit of it, where the row has no such question. */
  private static int ask(long handle, DeviceDialect dialect, Constant ability) {
    Fact question = dialect.constants().get(ability);
    return question == null ? -1 : DeviceLibrary.attribute(handle, (int) question.value());
  }

  /** An {@link UnsupportedException} where registered memory has a second address. */
  void requireHostPointers(String runtime) {
    if (!hostPointers) {
      throw new UnsupportedException(
          "devices of the %s here have other addresses for registered host memory; take pinned memory of theirs"
              .formatted(runtime));
    }
  }
}
