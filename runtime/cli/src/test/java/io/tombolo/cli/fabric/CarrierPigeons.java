// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.fabric;

import io.tombolo.base.Availability;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.StagedFabric;
import io.tombolo.rdma.tcp.TcpMedium;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * A fabric after RFC 1149. The pigeons are TCP's sockets under another name. This class and the
 * line that registers it are all that makes it a fabric.
 */
public final class CarrierPigeons implements FabricProvider {
  static final String NAME = "pigeons";
  static final String VERSION = "RFC 1149, with the quality of service of RFC 2549";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String peers() {
    return "whom the wind allows";
  }

  @Override
  public int priority() {
    return 1;
  }

  @Override
  public Availability availability(Map<String, String> options) {
    return new Availability.Available(VERSION);
  }

  @Override
  public Optional<String> reluctance(Map<String, String> options) {
    return Optional.of("slow");
  }

  @Override
  public Fabric open(FabricSettings settings, InetSocketAddress bind, Map<String, String> options) {
    return new StagedFabric(feathered(TcpMedium.open(settings.pinner(), bind)), settings);
  }

  private static Medium feathered(TcpMedium sockets) {
    return (Medium)
        Proxy.newProxyInstance(
            Medium.class.getClassLoader(),
            new Class<?>[] {Medium.class},
            (proxy, method, arguments) ->
                method.getName().equals("name") ? NAME : call(sockets, method, arguments));
  }

  private static Object call(TcpMedium sockets, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(sockets, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
