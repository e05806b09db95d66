// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableSet;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.faulty.Faults;
import java.net.InetSocketAddress;

/**
 * {@code ud}: datagrams and the reliable protocol, to peers without unreliable connections. Every
 * device has them.
 */
public final class UdProvider extends VerbsProvider {
  /** For {@link java.util.ServiceLoader}. */
  public UdProvider() {}

  @Override
  public String name() {
    return LossyMedium.UD_NAME;
  }

  @Override
  public int priority() {
    return 70;
  }

  @Override
  public boolean makesPackets() {
    return true;
  }

  @Override
  public ImmutableSet<String> options() {
    return ImmutableSet.<String>builder().addAll(super.options()).add(Faults.OPTION).build();
  }

  @Override
  boolean connects() {
    return false;
  }

  @Override
  boolean suits(NicPort nic) {
    return !nic.isInfiniband();
  }

  @Override
  Fabric open(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return VerbsFabrics.ud(settings, verbs, bind);
  }
}
