// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import com.google.common.net.HostAndPort;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import java.net.InetSocketAddress;
import java.util.Map;

/** Where a volume is, and what lets a process in. */
final class VolumePlace {
  private static final String TOKEN = "TOMBOLO_TOKEN";

  private VolumePlace() {}

  /** The address that {@code text} says. */
  static InetSocketAddress address(String text) {
    try {
      HostAndPort parsed = HostAndPort.fromString(text);
      if (parsed.getHost().isEmpty()) {
        throw new IllegalArgumentException("no host");
      }
      return new InetSocketAddress(parsed.getHost(), parsed.getPort());
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new UsageException("'" + text + "' is not HOST:PORT, such as 127.0.0.1:7777", e);
    }
  }

  /** The token that {@code environment} has. */
  static JobToken token(Map<String, String> environment) {
    String token = environment.get(TOKEN);
    if (token == null) {
      throw new UsageException(
          "TOMBOLO_TOKEN is not set; give a volume and its clients the same, for example by: export"
              + " TOMBOLO_TOKEN=$(openssl rand -hex 32)");
    }
    return JobToken.parse(token);
  }
}
