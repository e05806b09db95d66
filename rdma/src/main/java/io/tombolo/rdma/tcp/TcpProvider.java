// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import com.google.common.primitives.Longs;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.staged.StagedFabric;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;

/** {@code tcp}: staged through host memory and a socket. */
public final class TcpProvider implements FabricProvider {
  private static final String SILENCE = "liveness_ms";
  private static final Duration USUAL_SILENCE = Duration.ofSeconds(10);

  @Override
  public String name() {
    return TcpMedium.NAME;
  }

  @Override
  public String peers() {
    return "any host";
  }

  @Override
  public int priority() {
    return 20;
  }

  @Override
  public Fabric open(FabricSettings settings, InetSocketAddress bind, Map<String, String> options) {
    return new StagedFabric(TcpMedium.open(settings.pinner(), bind, silence(options)), settings);
  }

  /** As long as a rank may be silent. */
  static Duration silence(Map<String, String> options) {
    Long ms = Longs.tryParse(options.getOrDefault(SILENCE, ""));
    return ms == null || ms < 0 ? USUAL_SILENCE : Duration.ofMillis(ms);
  }
}
