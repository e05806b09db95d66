package io.tombolo.bench.loss;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Fabrics;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The fabrics of this machine: what goes wrong on them is the network's business. */
final class RealFabric {
  /** Opens one end. */
  interface Opener {
    Fabric open(FabricSettings settings);
  }

  private static final String PREFIX = "TOMBOLO_";
  private static final String DEVICE = "rdma_device";

  /** All of them, by name. */
  static final ImmutableMap<String, Opener> ALL =
      ImmutableMap.of(
          "shm", Fabrics::shm,
          "tcp", settings -> Fabrics.tcp(settings, loopback()),
          "ucx", settings -> Fabrics.ucx(settings, loopback()),
          "rc", settings -> VerbsFabrics.rc(settings, verbs(settings.rank()), loopback()),
          "uc", settings -> VerbsFabrics.uc(settings, verbs(settings.rank()), loopback()),
          "ud", settings -> VerbsFabrics.ud(settings, verbs(settings.rank()), loopback()));

  private RealFabric() {}

  /** What the environment says; TOMBOLO_RDMA_DEVICE may name one device for each end. */
  private static VerbsSettings verbs(int rank) {
    Map<String, String> settings = new TreeMap<>();
    System.getenv()
        .forEach(
            (name, value) -> {
              if (name.startsWith(PREFIX)) {
                settings.put(name.substring(PREFIX.length()).toLowerCase(Locale.ROOT), value);
              }
            });
    List<String> devices = Splitter.on(',').splitToList(settings.getOrDefault(DEVICE, ""));
    settings.put(DEVICE, devices.get(rank % devices.size()));
    return VerbsSettings.from(settings);
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }
}
