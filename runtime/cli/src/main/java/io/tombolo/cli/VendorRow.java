// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import io.tombolo.adaptors.Vendor;
import io.tombolo.base.Availability;
import io.tombolo.cli.console.Wrapped;
import io.tombolo.runtime.ReductionOutlook;
import java.util.ArrayList;
import java.util.List;
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
  private static final int INDENT = 22;

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

  /** What people read of it, in lines that fit a terminal. */
  List<String> lines() {
    List<String> lines = new ArrayList<>(Wrapped.lines("  " + name, INDENT, about()));
    String text = available ? version + "; reductions: " + reductions : "missing: " + cause;
    lines.addAll(Wrapped.lines("", INDENT, text));
    if (!available) {
      lines.addAll(Wrapped.lines("", INDENT, "→ " + fix));
    }
    return lines;
  }

  private String about() {
    String declared = compiler == null ? "host engine" : "device (" + compiler + ")";
    return provenance
        + "; witnessed by: "
        + witness
        + "; run: "
        + ran
        + "; reductions by: "
        + declared;
  }
}
