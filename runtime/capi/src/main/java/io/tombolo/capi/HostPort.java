// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.net.HostAndPort;
import io.tombolo.base.errors.UsageException;
import java.net.InetSocketAddress;

/** Addresses as C gives them. */
final class HostPort {
  private HostPort() {}

  /** The address that {@code text} is; {@link UsageException} if it is none. */
  static InetSocketAddress parse(String text) {
    try {
      HostAndPort parsed = HostAndPort.fromString(text);
      return new InetSocketAddress(parsed.getHost(), parsed.getPort());
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new UsageException("'" + text + "' is not HOST:PORT, such as 127.0.0.1:7777", e);
    }
  }
}
