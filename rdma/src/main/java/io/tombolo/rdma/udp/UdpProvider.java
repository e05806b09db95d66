// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import com.google.common.collect.ImmutableSet;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Liveness;
import io.tombolo.rdma.faulty.Faults;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** {@code udp}: by datagrams that may get lost, staged through host memory. */
public final class UdpProvider implements FabricProvider {
  /** For {@link java.util.ServiceLoader}. */
  public UdpProvider() {}

  @Override
  public String name() {
    return UdpFabric.NAME;
  }

  @Override
  public String peers() {
    return "any host";
  }

  @Override
  public int priority() {
    return 10;
  }

  @Override
  public boolean makesPackets() {
    return true;
  }

  @Override
  public ImmutableSet<String> options() {
    return ImmutableSet.of(Faults.OPTION);
  }

  @Override
  public Optional<String> reluctance(Map<String, String> options) {
    return Optional.of("it pins memory, and reaches nobody whom tcp does not reach");
  }

  @Override
  public Fabric open(FabricSettings settings, InetSocketAddress bind, Map<String, String> options) {
    return UdpFabric.open(settings, told(bind, options));
  }

  /** A silent peer is given up as soon as a silent rank is; by something, in any case. */
  static UdpOptions told(InetSocketAddress bind, Map<String, String> options) {
    UdpOptions usual = UdpOptions.of(bind);
    Duration liveness = Liveness.in(options);
    UdpOptions udp = liveness.isZero() ? usual : usual.withGiveUp(liveness);
    return Faults.in(options).map(udp::withFaults).orElse(udp);
  }
}
