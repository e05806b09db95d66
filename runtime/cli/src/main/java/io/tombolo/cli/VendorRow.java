package io.tombolo.cli;

import io.tombolo.adaptors.Vendor;
import io.tombolo.base.Availability;
import io.tombolo.runtime.ReductionOutlook;
import java.util.Locale;

/**
 * One vendor, as JSON shows it; what does not apply is left out.
 *
 * @param compiler what its row says compiles reductions for its devices; nothing where they are the
 *     host engine's
 * @param reductions what combines elements here, and why
 */
record VendorRow(
    String name,
    String provenance,
    String witness,
    String ran,
    String compiler,
    boolean available,
    String version,
    String reductions,
    String cause,
    String fix) {

  static VendorRow of(Vendor vendor) {
    String provenance = vendor.provenance().name().toLowerCase(Locale.ROOT);
    String compiler = vendor.compiler().orElse(null);
    Availability here = vendor.availability();
    if (here instanceof Availability.Missing missing) {
      return new VendorRow(
          vendor.name(),
          provenance,
          vendor.witness(),
          vendor.ran(),
          compiler,
          false,
          null,
          null,
          missing.cause(),
          missing.fix());
    }
    return new VendorRow(
        vendor.name(),
        provenance,
        vendor.witness(),
        vendor.ran(),
        compiler,
        true,
        ((Availability.Available) here).version(),
        ReductionOutlook.of(vendor).text(),
        null,
        null);
  }

  /** The row in a table. */
  Object[] cells() {
    String declared = compiler == null ? "host engine" : "device (" + compiler + ")";
    String state =
        available
            ? "@|green available|@: " + version + "; reductions: " + reductions
            : "missing: " + cause + "; " + fix;
    return new Object[] {name, provenance, witness, ran, declared, state};
  }
}
