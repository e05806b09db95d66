// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import java.util.Map;
import java.util.Set;

/**
 * CRC-32Cs that tensors must have when they are put: those of where they were copied from.
 *
 * @param byName of some of them
 */
record KnownChecksums(Map<String, Integer> byName) {
  static final KnownChecksums NONE = new KnownChecksums(Map.of());

  /** Refuses checksums of what is not put. */
  void requireAmong(Set<String> names) {
    for (String name : byName.keySet()) {
      if (!names.contains(name)) {
        throw new UsageException("a checksum of '%s', which is not put".formatted(name));
      }
    }
  }

  /** Reads {@code tensor} and compares it, if a checksum is known for it. */
  void compare(String name, HostTensor tensor) {
    if (byName.containsKey(name)) {
      long sizeBytes = tensor.spec().sizeBytes();
      compare(name, tensor.spec(), Checksum.of(tensor.address(0, sizeBytes), sizeBytes));
    }
  }

  /**
   * Compares what is put with what it must be.
   *
   * @throws CorruptException if a checksum is known for it, and is not {@code found}
   */
  void compare(String name, TensorSpec spec, int found) {
    int wanted = byName.getOrDefault(name, found);
    if (found != wanted) {
      throw new CorruptException(
          "'%s' (%s) is not what its checksum was computed of: that is %08x, and what is put has %08x; copy it from there again, and put that"
              .formatted(name, spec, wanted, found));
    }
  }
}
