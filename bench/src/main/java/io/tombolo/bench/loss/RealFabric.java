// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Fabrics;
import io.tombolo.rdma.faulty.Faults;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A fabric of this machine.
 *
 * @param provider which one
 */
record RealFabric(FabricProvider provider) {
  private static final String PREFIX = "TOMBOLO_";
  private static final String DEVICE = "rdma_device";

  /** All of them, the preferred first. */
  static ImmutableList<RealFabric> all() {
    return Fabrics.all().stream().map(RealFabric::new).collect(toImmutableList());
  }

  String name() {
    return provider.name();
  }

  /** Whether its packets may get lost on purpose, before the device. */
  boolean takesFaults() {
    return provider.options().contains(Faults.OPTION);
  }

  /**
   * Opens one end, with the options that the environment says: TOMBOLO_RDMA_DEVICE may name one
   * device for each end.
   */
  Fabric open(FabricSettings settings, Optional<Faults> faults) {
    Map<String, String> options = environment();
    List<String> devices = Splitter.on(',').splitToList(options.getOrDefault(DEVICE, ""));
    options.put(DEVICE, devices.get(settings.rank() % devices.size()));
    options.remove(Faults.OPTION);
    faults.ifPresent(wanted -> options.put(Faults.OPTION, wanted.text()));
    return provider.open(
        settings, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), options);
  }

  private static Map<String, String> environment() {
    Map<String, String> options = new TreeMap<>();
    System.getenv()
        .forEach(
            (name, value) -> {
              if (name.startsWith(PREFIX)) {
                options.put(name.substring(PREFIX.length()).toLowerCase(Locale.ROOT), value);
              }
            });
    return options;
  }
}
