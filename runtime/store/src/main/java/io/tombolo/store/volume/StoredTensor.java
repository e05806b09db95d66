// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.store.value.TensorListing;
import io.tombolo.store.wire.LeasedTensor;
import io.tombolo.store.wire.NamedSpec;

/**
 * A tensor in the volume's memory, and how many need it to stay there: a put, the name or version
 * that it is visible by, and leases. Guarded by its catalogue.
 */
final class StoredTensor {
  private final NamedSpec tensor;
  private final long offset;
  private int checksum;
  private int users = 1;

  StoredTensor(NamedSpec tensor, long offset) {
    this.tensor = tensor;
    this.offset = offset;
  }

  void seal(int checksumOfBytes) {
    checksum = checksumOfBytes;
  }

  void use() {
    users++;
  }

  /** Whether that was the last use. */
  boolean isUnused() {
    users--;
    return users == 0;
  }

  String name() {
    return tensor.name();
  }

  NamedSpec tensor() {
    return tensor;
  }

  long offset() {
    return offset;
  }

  long sizeBytes() {
    return tensor.spec().sizeBytes();
  }

  LeasedTensor leased() {
    return new LeasedTensor(tensor, offset, checksum);
  }

  TensorListing listing() {
    return new TensorListing(tensor.name(), tensor.spec(), checksum);
  }
}
