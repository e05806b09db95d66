package io.tombolo.emulated;

import io.tombolo.adaptors.DialectVendor;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.VendorProvider;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import java.util.List;

/** The emulated vendors: the real vendors' rows, opened in this artefact's libraries. */
public final class EmulatedVendors implements VendorProvider {
  /** For {@link java.util.ServiceLoader}. */
  public EmulatedVendors() {}

  @Override
  public List<Vendor> vendors() {
    return List.of(
        new DialectVendor(
            "emu-nvidia",
            Vendor.Provenance.EMULATED,
            EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA),
            EmulatedCcl::nccl),
        new DialectVendor(
            "emu-amd",
            Vendor.Provenance.EMULATED,
            EmulatedLibrary.AMD.devices(DeviceDialects.HIP),
            EmulatedCcl::rccl),
        new DialectVendor(
            "emu-intel", Vendor.Provenance.EMULATED, DeviceSource.host(), EmulatedCcl::oneCcl));
  }
}
