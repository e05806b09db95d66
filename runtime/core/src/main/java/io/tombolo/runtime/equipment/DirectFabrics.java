package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricTraits.Carrier;
import java.util.List;

/** Finds out which fabrics carry a device's memory without a copy, by having them try. */
final class DirectFabrics {
  private static final long PROBE_BYTES = 64 << 10;

  private DirectFabrics() {}

  /** Those of {@code fabrics} whose hardware reads and writes the memory of {@code device}. */
  static ImmutableSet<Fabric> among(List<Fabric> fabrics, DeviceAdaptor device) {
    List<Fabric> candidates = fabrics.stream().filter(DirectFabrics::mayPlace).toList();
    if (candidates.isEmpty()) {
      return ImmutableSet.of();
    }
    try (DeviceMemory probe = device.allocate(PROBE_BYTES)) {
      return candidates.stream()
          .filter(fabric -> fabric.carries(probe.block()))
          .collect(ImmutableSet.toImmutableSet());
    }
  }

  /**
   * Where packets get lost, they are kept until they arrived, or checked before they are placed.
   */
  private static boolean mayPlace(Fabric fabric) {
    return fabric.traits().placesRemotely() && fabric.traits().carrier() == Carrier.LOSSLESS;
  }
}
