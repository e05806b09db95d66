// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.HardwareQueues;
import io.tombolo.adaptors.LibraryEnvironment;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.LibrarySource;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.vendor.DialectVendor;
import java.util.Optional;

/**
 * Opens a device twice, beside somebody else who had opened it or not, with a collective library
 * that was loaded before or not, then another one, and tells what is to be said of their queues.
 */
final class QueuesProgram {
  private static final DeviceSource DEVICES = EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA);

  private QueuesProgram() {}

  public static void main(String[] arguments) {
    boolean isOpen = arguments[0].equals("open");
    boolean isLoaded = arguments[1].equals("loaded");
    ImmutableList<String> libraries =
        isLoaded ? EmulatedLibrary.NVIDIA.load() : ImmutableList.of("libnobody-has-this.so.1");
    Vendor vendor = vendor(libraries);
    Optional<DeviceAdaptor> others = isOpen ? Optional.of(DEVICES.open(0)) : Optional.empty();
    tell(vendor, 0);
    tell(vendor, 0);
    tell(vendor, 1);
    others.ifPresent(DeviceAdaptor::close);
    System.out.println("done");
  }

  private static void tell(Vendor vendor, int ordinal) {
    Optional<HardwareQueues> unset = HardwareQueues.unset(vendor);
    vendor.availability();
    try (DeviceAdaptor device = vendor.openDevice(ordinal)) {
      System.out.println(
          unset
              .filter(queues -> queues.isMissedBy(device))
              .map(queues -> queues.warning(device).orElse("missed, and said before"))
              .orElse("none"));
    }
  }

  /** As NVIDIA's row, on emulated devices, whose own row presets nothing of the kind. */
  private static Vendor vendor(ImmutableList<String> libraries) {
    CclDialect row = CclDialects.nccl();
    LibraryEnvironment environment =
        new LibraryEnvironment(ImmutableMap.of(), ImmutableMap.of(HardwareQueues.CUDA, "32"));
    LibrarySource source = new LibrarySource(libraries, ImmutableList.of(), environment);
    return new DialectVendor(
        "probe",
        Vendor.Provenance.EMULATED,
        DEVICES,
        "never",
        () -> row.like("the probe", source, row.capabilities()));
  }
}
