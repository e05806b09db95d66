// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Whether a rank and those below it in a {@link GatherTree} hold the same facts: 36 bytes, the
 * digest and the number (i32).
 *
 * @param digest SHA-256 of the rank's own
 * @param odd the lowest rank below it whose facts are others; -1 if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared as a whole
record Opinion(byte[] digest, int odd) {
  private static final int DIGEST_BYTES = 32;
  private static final int NONE = -1;

  /** That of {@code rank}, whose own digest is {@code digest}, by those of its children. */
  static Opinion of(GatherTree tree, int rank, byte[] digest, List<byte[]> below) {
    List<Integer> children = tree.children(rank);
    int odd = NONE;
    for (int i = 0; i < children.size(); i++) {
      int child = children.get(i);
      Opinion theirs = decode(below.get(i), "rank " + child);
      odd = lower(odd, Arrays.equals(theirs.digest, digest) ? theirs.odd : child);
    }
    return new Opinion(digest, odd);
  }

  private static int lower(int one, int other) {
    return one == NONE || other == NONE ? Math.max(one, other) : Math.min(one, other);
  }

  byte[] encode() {
    return ByteBuffer.allocate(DIGEST_BYTES + Integer.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(digest)
        .putInt(odd)
        .array();
  }

  static Opinion decode(byte[] bytes, String source) {
    if (bytes.length != DIGEST_BYTES + Integer.BYTES) {
      throw new CorruptException("the digest of " + source + " has " + bytes.length + " bytes");
    }
    return new Opinion(
        Arrays.copyOf(bytes, DIGEST_BYTES),
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(DIGEST_BYTES));
  }
}
