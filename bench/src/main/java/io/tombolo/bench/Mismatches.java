// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import java.nio.ByteBuffer;

/** Compares elements bit by bit. */
final class Mismatches {
  private Mismatches() {}

  /** How many elements of {@code elementBytes} differ; both buffers have the same length. */
  static long count(ByteBuffer actual, ByteBuffer expected, int elementBytes) {
    long wrong = 0;
    int from = 0;
    int length = actual.remaining();
    while (from < length) {
      int at = actual.slice(from, length - from).mismatch(expected.slice(from, length - from));
      if (at < 0) {
        return wrong;
      }
      wrong++;
      from = (from + at) / elementBytes * elementBytes + elementBytes;
    }
    return wrong;
  }
}
