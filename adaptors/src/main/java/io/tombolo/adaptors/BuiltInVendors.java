package io.tombolo.adaptors;

import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.HostCcl;
import io.tombolo.adaptors.ccl.OneCclFolder;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import java.util.List;

/** The vendors whose own libraries this project knows. */
public final class BuiltInVendors implements VendorProvider {
  /** For {@link java.util.ServiceLoader}. */
  public BuiltInVendors() {}

  @Override
  public List<Vendor> vendors() {
    return List.of(nvidia(), amd(), intel(), host());
  }

  private static Vendor nvidia() {
    return new DialectVendor(
        "nvidia",
        Vendor.Provenance.REAL,
        DeviceSource.of(() -> DeviceDialects.CUDA),
        CclDialects::nccl);
  }

  private static Vendor amd() {
    return new DialectVendor(
        "amd",
        Vendor.Provenance.REAL,
        DeviceSource.of(() -> DeviceDialects.HIP),
        CclDialects::rccl);
  }

  /** oneCCL's build for CPUs: the device is the host itself. */
  private static Vendor intel() {
    return new DialectVendor(
        "intel",
        Vendor.Provenance.REAL,
        DeviceSource.host(),
        () -> CclDialects.oneCcl(OneCclFolder.of(System.getenv())));
  }

  /** No accelerator at all: host memory and our own library. */
  private static Vendor host() {
    return new DialectVendor("host", Vendor.Provenance.REAL, DeviceSource.host(), HostCcl::row);
  }
}
