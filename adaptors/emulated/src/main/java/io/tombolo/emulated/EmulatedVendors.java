// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.VendorProvider;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.device.AscendDialect;
import io.tombolo.adaptors.device.CambriconDialect;
import io.tombolo.adaptors.device.CompatibleDialects;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.device.GaudiDialect;
import io.tombolo.adaptors.device.KunlunxinDialect;
import io.tombolo.adaptors.vendor.DialectVendor;
import java.util.List;
import java.util.function.Supplier;

/** The emulated vendors: the real vendors' rows, opened in this artefact's libraries. */
public final class EmulatedVendors implements VendorProvider {
  /** For {@link java.util.ServiceLoader}. */
  public EmulatedVendors() {}

  @Override
  public List<Vendor> vendors() {
    return List.of(
        vendor(
            "emu-nvidia", EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA), EmulatedCcl::nccl),
        vendor("emu-amd", EmulatedLibrary.AMD.devices(DeviceDialects.HIP), EmulatedCcl::rccl),
        vendor("emu-intel", DeviceSource.host(), EmulatedCcl::oneCcl),
        vendor(
            "emu-ascend", EmulatedLibrary.ASCEND.devices(AscendDialect.ACL), EmulatedCcl::ascend),
        vendor(
            "emu-kunlunxin",
            EmulatedLibrary.KUNLUNXIN.devices(CompatibleDialects.KUNLUNXIN),
            EmulatedCcl::kunlunxin),
        vendor("emu-kunlunxin-xre", xre(), EmulatedCcl::xre),
        vendor(
            "emu-gaudi",
            EmulatedLibrary.GAUDI.devices(GaudiDialect.SYNAPSE_AI),
            EmulatedCcl::gaudi),
        vendor(
            "emu-cambricon",
            EmulatedLibrary.CAMBRICON.devices(CambriconDialect.CNRT),
            EmulatedCcl::cambricon));
  }

  /** Its devices are called as their runtime is, so that says what they are. */
  static DeviceSource xre() {
    DeviceDialect row = KunlunxinDialect.XRE;
    return EmulatedLibrary.XRE.devices(row.called("emulated " + row.name()));
  }

  private static Vendor vendor(String name, DeviceSource devices, Supplier<CclDialect> row) {
    return new DialectVendor(name, Vendor.Provenance.EMULATED, devices, "everywhere, in CI", row);
  }
}
