// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.rdma.Fabric;
import java.util.List;
import java.util.function.Predicate;

/**
 * The fabrics whose hardware reaches a device's memory. None writes to a device that does not
 * {@linkplain DeviceAdaptor#flushesRemoteWrites flush}.
 *
 * @param sending those that read there what is sent
 * @param receiving those that write there what is received
 */
public record DirectFabrics(ImmutableSet<Fabric> sending, ImmutableSet<Fabric> receiving) {
  private static final long PROBE_BYTES = 64 << 10;

  /** Finds out which of {@code fabrics} reach the memory of {@code device}, by having them try. */
  static DirectFabrics among(List<Fabric> fabrics, DeviceAdaptor device) {
    List<Fabric> candidates =
        fabrics.stream().filter(fabric -> fabric.traits().placesRemotely()).toList();
    if (candidates.isEmpty()) {
      return new DirectFabrics(ImmutableSet.of(), ImmutableSet.of());
    }
    try (DeviceMemory probe = device.allocate(PROBE_BYTES)) {
      return new DirectFabrics(
          those(candidates, fabric -> fabric.readsFrom(probe.block())),
          those(
              candidates,
              fabric -> device.flushesRemoteWrites() && fabric.writesInto(probe.block())));
    }
  }

  private static ImmutableSet<Fabric> those(List<Fabric> fabrics, Predicate<Fabric> reach) {
    return fabrics.stream().filter(reach).collect(ImmutableSet.toImmutableSet());
  }
}
