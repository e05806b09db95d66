// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Vendor;
import io.tombolo.base.Availability;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.equipment.ReductionChoice;
import io.tombolo.runtime.exec.engine.Reductions;

/**
 * Where ranks on a vendor's devices would combine elements here, if no setting says otherwise. A
 * rank compiles the kernels as well; where that fails, it says so, and the host engine combines.
 *
 * @param text it in words, and why, as {@link Communicator#reductions} has it
 * @param fix what would have the device combine; empty if it does, and if nothing would
 */
public record ReductionOutlook(String text, String fix) {

  /**
   * For devices of {@code vendor}, whose runtime is available here. No device is opened, and
   * nothing compiled.
   */
  public static ReductionOutlook of(Vendor vendor) {
    try {
      return ReductionChoice.reluctance(vendor)
          .map(why -> new ReductionOutlook(Reductions.onHost(why).text(), ""))
          .orElseGet(() -> of(vendor.compiler().isPresent(), vendor.reducing()));
    } catch (TomboloException e) { // of a runtime that loads, and then fails
      return new ReductionOutlook("not known: " + e.getMessage(), "");
    }
  }

  private static ReductionOutlook of(boolean couldReduce, Availability reducing) {
    if (reducing instanceof Availability.Missing why) {
      return new ReductionOutlook(
          Reductions.onHost(why.cause()).text(), couldReduce ? why.fix() : "");
    }
    String compiler = ReductionChoice.version(reducing);
    return new ReductionOutlook(
        Reductions.deviceText(compiler, ReductionChoice.WORTH_A_LAUNCH_BYTES), "");
  }
}
