// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import java.net.InetSocketAddress;

/** {@code rc}: reliable connections, to peers who also know that nothing is dropped on the way. */
public final class RcProvider extends VerbsProvider {
  /** For {@link java.util.ServiceLoader}. */
  public RcProvider() {}

  @Override
  public String name() {
    return RcMedium.NAME;
  }

  @Override
  public int priority() {
    return 90;
  }

  @Override
  boolean connects() {
    return true;
  }

  @Override
  boolean suits(NicPort nic) {
    return nic.isLossless() && nic.supports(PairType.RC);
  }

  @Override
  Fabric open(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return VerbsFabrics.rc(settings, verbs, bind);
  }
}
