// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricTraits.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * The fabrics by which a device's memory is reached without a processor: by their hardware, or by
 * the device's own engine, which copies between it and slots that both processes map. No hardware
 * writes to a device that does not {@linkplain DeviceAdaptor#flushesRemoteWrites flush}.
 *
 * @param sending those whose hardware reads there what is sent
 * @param receiving those whose hardware writes there what is received
 * @param copying those whose slots the device's engine reaches, once they are pinned
 */
public record DirectFabrics(
    ImmutableSet<Fabric> sending, ImmutableSet<Fabric> receiving, ImmutableSet<Fabric> copying) {
  private static final long PROBE_BYTES = 64 << 10;

  /**
   * Finds out which of {@code fabrics} reach the memory of {@code device}, by having them try.
   *
   * @param reachesSlots whether the device reaches slots that are pinned
   */
  static DirectFabrics among(List<Fabric> fabrics, DeviceAdaptor device, boolean reachesSlots) {
    ImmutableSet<Fabric> copying =
        those(fabrics, fabric -> reachesSlots && fabric.traits().path() == Path.SHARED);
    List<Fabric> candidates =
        fabrics.stream().filter(fabric -> fabric.traits().placesRemotely()).toList();
    if (candidates.isEmpty()) {
      return new DirectFabrics(ImmutableSet.of(), ImmutableSet.of(), copying);
    }
    try (DeviceMemory probe = device.allocate(PROBE_BYTES)) {
      return new DirectFabrics(
          those(candidates, fabric -> fabric.readsFrom(probe.block())),
          those(
              candidates,
              fabric -> device.flushesRemoteWrites() && fabric.writesInto(probe.block())),
          copying);
    }
  }

  /** Whether no fabric reaches anything. */
  public boolean isNone() {
    return sending.isEmpty() && receiving.isEmpty() && copying.isEmpty();
  }

  private static ImmutableSet<Fabric> those(List<Fabric> fabrics, Predicate<Fabric> reach) {
    return fabrics.stream().filter(reach).collect(ImmutableSet.toImmutableSet());
  }
}
