// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.base.Availability;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.staged.StagedFabric;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * {@code ucx}: over the best network that UCX finds between two hosts; host memory is read and
 * written in place. Who names no fabric uses it where it is.
 */
public final class UcxProvider implements FabricProvider {
  @Override
  public String name() {
    return UcxMedium.NAME;
  }

  @Override
  public String peers() {
    return "any host that has UCX, too";
  }

  @Override
  public int priority() {
    return 50;
  }

  @Override
  public Availability availability(Map<String, String> options) {
    return UcxLibrary.availability();
  }

  @Override
  public void exportDefaults() {
    UcxLibrary.exportDefaults();
  }

  @Override
  public Fabric open(FabricSettings settings, InetSocketAddress bind, Map<String, String> options) {
    return new StagedFabric(UcxMedium.open(settings, bind), settings);
  }
}
