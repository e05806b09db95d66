// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import com.google.common.primitives.Longs;
import java.time.Duration;
import java.util.Map;

/** How long a peer may be silent, as the user set it for ranks. */
public final class Liveness {
  private static final String OPTION = "liveness_ms";
  private static final Duration USUAL = Duration.ofSeconds(10);

  private Liveness() {}

  /** That of {@code options}; zero: for ever. */
  public static Duration in(Map<String, String> options) {
    Long ms = Longs.tryParse(options.getOrDefault(OPTION, ""));
    return ms == null || ms < 0 ? USUAL : Duration.ofMillis(ms);
  }
}
