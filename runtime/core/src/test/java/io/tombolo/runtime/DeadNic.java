// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Availability;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.util.Map;

/** The NIC that dies in jobs which go on without it: the first one of the emulated HCA. */
final class DeadNic {
  static final String NAME = "emu-mlx5_0";
  static final String OBITUARY = NAME + " has died";

  private DeadNic() {}

  /** Prints {@link #OBITUARY} if this process cannot use it any more. */
  static void tell(Map<String, String> settings) {
    if (!canBeUsed(VerbsSettings.from(settings).withDevice(NAME))) {
      System.out.println(OBITUARY);
    }
  }

  private static boolean canBeUsed(VerbsSettings nic) {
    try {
      return VerbsFabrics.availability(nic) instanceof Availability.Available;
    } catch (TomboloException e) {
      return false;
    }
  }
}
