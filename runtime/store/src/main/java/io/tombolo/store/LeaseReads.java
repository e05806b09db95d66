// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One-sided reads of what a lease is on. A tensor's key is asked for once, as it opens the tensor
 * for as long as the lease holds. Used in the calls of its link.
 */
final class LeaseReads {
  private final VolumeReads reads;
  private final long lease;
  private final Map<Integer, Optional<byte[]>> keys = new HashMap<>();

  LeaseReads(VolumeReads reads, long lease) {
    this.reads = reads;
    this.lease = lease;
  }

  /**
   * Copies runs of tensor {@code index} as {@link VolumeReads#bring} does; empty if they have to be
   * asked for over the connection.
   */
  OptionalInt bring(int index, String what, BoxRuns runs, int elementBytes, long to)
      throws IOException {
    if (!reads.reaches(runs.runElements() * elementBytes)) {
      return OptionalInt.empty();
    }
    Optional<byte[]> key = keys.get(index);
    if (key == null) {
      key = reads.key(lease, index);
      keys.put(index, key);
    }
    return key.isPresent()
        ? reads.bring(what, key.get(), runs, elementBytes, to)
        : OptionalInt.empty();
  }
}
