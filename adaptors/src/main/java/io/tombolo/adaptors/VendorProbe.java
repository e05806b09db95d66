// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.topology.detect.DeviceProbe;
import io.tombolo.topology.detect.ProbedDevice;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the runtime of every vendor that loads here. */
public final class VendorProbe implements DeviceProbe {
  private static final Logger LOG = LoggerFactory.getLogger(VendorProbe.class);

  /** For {@link java.util.ServiceLoader}. */
  public VendorProbe() {}

  @Override
  public ImmutableList<ProbedDevice> devices(boolean withEmulated) {
    ImmutableList.Builder<ProbedDevice> devices = ImmutableList.builder();
    for (Vendor vendor : Vendors.all()) {
      boolean emulated = vendor.provenance() == Vendor.Provenance.EMULATED;
      if (withEmulated || !emulated) {
        devices.addAll(devices(vendor, emulated));
      }
    }
    return devices.build();
  }

  /** A runtime that loads and then fails must not hide the devices of the others. */
  private static ImmutableList<ProbedDevice> devices(Vendor vendor, boolean emulated) {
    ImmutableList.Builder<ProbedDevice> devices = ImmutableList.builder();
    try {
      int ordinal = 0;
      for (DeviceProperties each : vendor.devices()) {
        devices.add(
            new ProbedDevice(
                vendor.name(),
                ordinal++,
                each.name(),
                vendor.apart(each),
                each.pciBusId(),
                each.totalMemoryBytes(),
                each.runtimeVersion(),
                emulated));
      }
    } catch (TomboloException e) {
      LOG.warn("{}'s runtime does not describe its devices: {}", vendor.name(), e.getMessage());
    }
    return devices.build();
  }
}
