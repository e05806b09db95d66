// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.vendor;

import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.VendorProvider;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.HostCcl;
import io.tombolo.adaptors.ccl.MpiCcl;
import io.tombolo.adaptors.ccl.NcclLikeDialects;
import io.tombolo.adaptors.ccl.OneCclFolder;
import io.tombolo.adaptors.ccl.OwnShapeDialects;
import io.tombolo.adaptors.device.AscendDialect;
import io.tombolo.adaptors.device.CambriconDialect;
import io.tombolo.adaptors.device.CompatibleDialects;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.device.GaudiDialect;
import io.tombolo.adaptors.device.KunlunxinDialect;
import io.tombolo.adaptors.device.MusaDialect;
import io.tombolo.adaptors.device.RuntimeLikeDialects;
import java.util.List;
import java.util.function.Supplier;

/** The vendors whose own libraries this project knows. */
public final class BuiltInVendors implements VendorProvider {
  private static final String NEVER = "never";

  /** For {@link java.util.ServiceLoader}. */
  public BuiltInVendors() {}

  @Override
  public List<Vendor> vendors() {
    return List.of(
        nvidia(),
        amd(),
        intel(),
        ascend(),
        kunlunxin(),
        unseen("kunlunxin-xre", KunlunxinDialect.XRE, OwnShapeDialects::kunlunxin),
        unseen("gaudi", GaudiDialect.SYNAPSE_AI, NcclLikeDialects::gaudi),
        unseen("cambricon", CambriconDialect.CNRT, OwnShapeDialects::cambricon),
        unseen("metax", RuntimeLikeDialects.MACA, NcclLikeDialects::metax),
        unseen("musa", MusaDialect.MUSA, NcclLikeDialects::mooreThreads),
        unseen("enflame", RuntimeLikeDialects.TOPS, NcclLikeDialects::enflame),
        mpi(),
        host());
  }

  private static Vendor nvidia() {
    return new DialectVendor(
        "nvidia",
        Vendor.Provenance.REAL,
        DeviceSource.of(() -> DeviceDialects.CUDA),
        "on one GPU, by hand; CI opens the real NCCL, which reports that there is no device",
        CclDialects::nccl);
  }

  private static Vendor amd() {
    return new DialectVendor(
        "amd",
        Vendor.Provenance.REAL,
        DeviceSource.of(() -> DeviceDialects.HIP),
        NEVER,
        CclDialects::rccl);
  }

  /** oneCCL's build for CPUs: the device is the host itself. */
  private static Vendor intel() {
    return new DialectVendor(
        "intel",
        Vendor.Provenance.REAL,
        DeviceSource.host(),
        "on plain CPUs, also in CI; never on an Intel GPU",
        () -> CclDialects.oneCcl(OneCclFolder.of(System.getenv())));
  }

  private static Vendor ascend() {
    return new DialectVendor(
        "ascend",
        Vendor.Provenance.REAL,
        DeviceSource.of(() -> AscendDialect.ACL),
        NEVER,
        OwnShapeDialects::ascend);
  }

  private static Vendor kunlunxin() {
    return new DialectVendor(
        "kunlunxin",
        Vendor.Provenance.REAL,
        DeviceSource.of(() -> CompatibleDialects.KUNLUNXIN),
        NEVER,
        OwnShapeDialects::kunlunxin);
  }

  /** Both rows from public sources alone. */
  private static Vendor unseen(
      String name, DeviceDialect runtime, Supplier<CclDialect> collectives) {
    return new DialectVendor(
        name, Vendor.Provenance.REAL, DeviceSource.of(() -> runtime), NEVER, collectives);
  }

  /** Open MPI between host processes. */
  private static Vendor mpi() {
    return new DialectVendor(
        "mpi",
        Vendor.Provenance.REAL,
        DeviceSource.host(),
        "on plain CPUs, also in CI",
        MpiCcl::row);
  }

  /** No accelerator at all: host memory and our own library. */
  private static Vendor host() {
    return new DialectVendor(
        "host", Vendor.Provenance.OWN, DeviceSource.host(), "everywhere, in CI", HostCcl::row);
  }
}
