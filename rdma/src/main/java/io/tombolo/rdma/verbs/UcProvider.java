// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableSet;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.faulty.Faults;
import java.net.InetSocketAddress;

/**
 * {@code uc}: unreliable connections and the reliable protocol, for links that may lose packets.
 */
public final class UcProvider extends VerbsProvider {
  /** For {@link java.util.ServiceLoader}. */
  public UcProvider() {}

  @Override
  public String name() {
    return LossyMedium.UC_NAME;
  }

  @Override
  public int priority() {
    return 80;
  }

  @Override
  public boolean makesPackets() {
    return true;
  }

  @Override
  public ImmutableSet<String> options() {
    return ImmutableSet.<String>builder()
        .addAll(super.options())
        .add(VerbsSettings.PATHS, Faults.OPTION)
        .build();
  }

  @Override
  boolean connects() {
    return true;
  }

  @Override
  boolean suits(NicPort nic) {
    return !nic.isInfiniband()
        && nic.attributes().maxSharedReceives() > 0
        && nic.supports(PairType.UC);
  }

  @Override
  Fabric open(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return VerbsFabrics.uc(settings, verbs, bind);
  }
}
