// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.errors.UsageException;

/** What a store takes at most; the first three are those of torch's own server. */
final class Limits {
  static final int KEY_BYTES = 8 << 10;
  static final int VALUE_BYTES = 8 << 20;
  static final int KEYS_PER_REQUEST = 131_072;

  /** So many keys of a store are listed: some for each of 100 000 ranks. */
  static final int LISTED_KEYS = 8 << 20;

  /** Two values (compare-and-set) with their key and lengths fit. */
  static final int REQUEST_BYTES = 2 * VALUE_BYTES + (64 << 10);

  /** Everything a server holds for its clients: keys, values, waits, and bytes on their way. */
  static final long SERVER_BYTES = 256L << 20;

  private Limits() {}

  static void checkValue(String key, byte[] value) {
    if (value.length > VALUE_BYTES) {
      throw new UsageException(
          "a store value is at most %s bytes; '%s' has %s"
              .formatted(VALUE_BYTES, key, value.length));
    }
  }

  static void checkKey(String key, int sizeBytes) {
    if (sizeBytes > KEY_BYTES) {
      throw new UsageException(
          "a store key is at most %s bytes; '%s…' has %s"
              .formatted(KEY_BYTES, key.substring(0, 40), sizeBytes));
    }
  }
}
