package io.tombolo.bench.loss;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Fabrics;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The fabrics of this machine. */
final class RealFabric {
  /** Opens one end. */
  interface Opener {
    Fabric open(FabricSettings settings, Optional<Faults> faults);
  }

  private static final String PREFIX = "TOMBOLO_";
  private static final String DEVICE = "rdma_device";

  /** Those whose packets may get lost on purpose, before the device. */
  static final ImmutableSet<String> LOSSY = ImmutableSet.of("uc", "ud");

  /** All of them, by name. */
  static final ImmutableMap<String, Opener> ALL =
      ImmutableMap.of(
          "shm", (settings, none) -> Fabrics.shm(settings),
          "tcp", (settings, none) -> Fabrics.tcp(settings, loopback()),
          "ucx", (settings, none) -> Fabrics.ucx(settings, loopback()),
          "rc",
              (settings, none) ->
                  VerbsFabrics.rc(settings, verbs(settings.rank(), none), loopback()),
          "uc",
              (settings, faults) ->
                  VerbsFabrics.uc(settings, verbs(settings.rank(), faults), loopback()),
          "ud",
              (settings, faults) ->
                  VerbsFabrics.ud(settings, verbs(settings.rank(), faults), loopback()));

  private RealFabric() {}

  /** What the environment says; TOMBOLO_RDMA_DEVICE may name one device for each end. */
  private static VerbsSettings verbs(int rank, Optional<Faults> faults) {
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
    VerbsSettings verbs = VerbsSettings.from(settings);
    return faults.map(verbs::withFaults).orElse(verbs);
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }
}
