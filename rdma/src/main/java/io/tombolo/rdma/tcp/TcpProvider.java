// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Liveness;
import io.tombolo.rdma.staged.StagedFabric;
import java.net.InetSocketAddress;
import java.util.Map;

/** {@code tcp}: staged through host memory and a socket. */
public final class TcpProvider implements FabricProvider {
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
  public boolean standsIn() {
    return true;
  }

  @Override
  public Fabric open(FabricSettings settings, InetSocketAddress bind, Map<String, String> options) {
    return new StagedFabric(
        TcpMedium.open(settings.pinner(), bind, Liveness.in(options)), settings);
  }
}
