// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.base.errors.UsageException;

/**
 * Damage on purpose, to see that it is found: one bit in each of the first results. Not
 * thread-safe.
 */
final class Injection {
  private int flipsLeft;

  private Injection(int flips) {
    this.flipsLeft = flips;
  }

  /** Parses {@code flip:N}; null means no damage. */
  static Injection parse(String text) {
    if (text == null) {
      return new Injection(0);
    }
    if (!text.matches("flip:[1-9]\\d{0,5}")) {
      throw new UsageException("--inject wants flip:N, for example flip:1; got '" + text + "'");
    }
    return new Injection(Integer.parseInt(text.substring(text.indexOf(':') + 1)));
  }

  /**
   * Flips a bit in the middle of the first {@code sizeBytes} of {@code result}, if there is one
   * left to flip.
   */
  boolean damage(java.nio.ByteBuffer result, int sizeBytes) {
    if (flipsLeft == 0 || sizeBytes == 0) {
      return false;
    }
    flipsLeft--;
    int at = sizeBytes / 2;
    result.put(at, (byte) (result.get(at) ^ 1));
    return true;
  }
}
