// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import java.util.List;
import java.util.OptionalInt;

/**
 * How many devices lists such as {@code CUDA_VISIBLE_DEVICES=2,3} leave a process. A runtime reads
 * a list up to the first entry that names no device: {@code 0,-1,1} shows one. Of several lists,
 * each counts what the one before it left.
 *
 * <p>Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; NVIDIA's Multi-Instance GPU
 * User Guide, "CUDA Device Enumeration" (a process sees one MIG instance, also of several that are
 * listed); AMD's "GPU isolation techniques" (ROCR, then HIP, which counts what ROCR left).
 */
final class VisibleList {
  private static final String CUDA = "CUDA_VISIBLE_DEVICES";
  private static final String HIP = "HIP_VISIBLE_DEVICES";

  private VisibleList() {}

  /** How many devices are left after {@code lists}, in the order in which they are applied. */
  static int count(List<Sourced<String>> lists) {
    boolean hasHip = lists.stream().anyMatch(list -> list.origin().equals(HIP));
    OptionalInt left = OptionalInt.empty();
    for (Sourced<String> list : lists) {
      boolean isReplaced = hasHip && list.origin().equals(CUDA);
      if (!isReplaced) {
        left = OptionalInt.of(count(list.value(), left));
      }
    }
    return left.orElse(0);
  }

  private static int count(String list, OptionalInt before) {
    int count = 0;
    for (String entry : VisibleDevices.COMMA.split(list)) {
      if (!isDevice(entry, before)) {
        return count;
      }
      if (entry.startsWith("MIG-")) {
        return 1;
      }
      count++;
    }
    return count;
  }

  /** Numbers must be among those that are left; {@code NoDevFiles} is Slurm's word for none. */
  private static boolean isDevice(String entry, OptionalInt before) {
    if (entry.matches("-\\d+") || entry.equals("NoDevFiles")) {
      return false;
    }
    return before.isEmpty()
        || !entry.matches("\\d{1,9}")
        || Integer.parseInt(entry) < before.getAsInt();
  }
}
