package io.tombolo.runtime;

import io.tombolo.adaptors.Vendor;
import io.tombolo.runtime.equipment.ReductionChoice;

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
    return ReductionChoice.outlook(vendor);
  }
}
