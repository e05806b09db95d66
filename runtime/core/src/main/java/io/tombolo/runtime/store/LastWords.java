// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;

/**
 * Why a store of ours has dropped a client, which it sends to one that has proved the token before
 * it hangs up: torch's protocol has no errors, and no answer to a SET. A client finds it where the
 * answer to a request would be.
 */
final class LastWords extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * What they begin with: as a length it is negative, as a sum nobody counts so far, and its first
   * byte is no answer to a wait.
   */
  static final long MARK = 0x8D4F_4252_4157_534CL;

  /** Less than a value that is sent in a piece of its own: they never fill the place of one. */
  static final int REASON_BYTES = 1 << 10;

  LastWords(String reason) {
    super(reason);
  }

  /** The message that says {@code reason}. */
  static byte[] message(String reason) {
    byte[] text = reason.getBytes(UTF_8);
    return new WireWriter()
        .i64(MARK)
        .bytes(Arrays.copyOf(text, Math.min(text.length, REASON_BYTES)))
        .toBytes();
  }
}
