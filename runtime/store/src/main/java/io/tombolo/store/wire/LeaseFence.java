// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.errors.CorruptException;

/**
 * A word in a holder's memory: once its value is another, leases under it are void, and what they
 * were on may be written.
 *
 * @param offset where the word is in the holder's memory, a multiple of 8
 * @param value what it is for as long as they hold
 */
public record LeaseFence(long offset, long value) {
  void write(FieldWriter out) {
    out.i64(offset).i64(value);
  }

  static LeaseFence read(FieldReader in) {
    long offset = in.natural();
    if (offset % Long.BYTES != 0) {
      throw new CorruptException("a word of 8 bytes at " + offset);
    }
    return new LeaseFence(offset, in.i64());
  }
}
