// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.HostId;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a process listens: {@code "<host id> <socket name>"} in ASCII.
 *
 * @param hostId the host, as {@link HostId} names it
 * @param socketName the abstract name of its Unix socket
 */
record ShmAddress(String hostId, String socketName) {
  private static final Pattern TEXT = Pattern.compile("([0-9a-f]{16}) (tombolo-[0-9a-f]{32})");

  /** A new address on this host, which nobody can guess. */
  static ShmAddress fresh(byte[] nonce) {
    return new ShmAddress(HostId.local(), "tombolo-" + HexFormat.of().formatHex(nonce, 0, 16));
  }

  byte[] encode() {
    return (hostId + " " + socketName).getBytes(StandardCharsets.US_ASCII);
  }

  /** The address in {@code bytes}, if they are one. */
  static Optional<ShmAddress> decode(byte[] bytes) {
    Matcher text = TEXT.matcher(new String(bytes, StandardCharsets.US_ASCII));
    return text.matches()
        ? Optional.of(new ShmAddress(text.group(1), text.group(2)))
        : Optional.empty();
  }

  byte[] socketNameBytes() {
    return socketName.getBytes(StandardCharsets.US_ASCII);
  }
}
