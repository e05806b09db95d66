// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.store.value.TensorListing;
import io.tombolo.store.wire.HeldPart;
import io.tombolo.store.wire.LeasedTensor;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.NamedSpec;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A tensor in the volume's memory, or where a program has registered it; and how many need it to
 * stay there: a put, the name or version that it is visible by, and leases. Guarded by its
 * catalogue.
 */
final class StoredTensor {
  private final NamedSpec tensor;
  private final OptionalLong offset;
  private final Optional<RegisteredTensor> registered;
  private int checksum;
  private int users = 1;

  /** One whose room begins at {@code offset} of the volume's memory. */
  StoredTensor(NamedSpec tensor, long offset) {
    this.tensor = tensor;
    this.offset = OptionalLong.of(offset);
    this.registered = Optional.empty();
  }

  /** One that stays where it is, outside the volume's memory, and is there already. */
  StoredTensor(NamedSpec tensor, RegisteredTensor registered) {
    this.tensor = tensor;
    this.offset = OptionalLong.empty();
    this.registered = Optional.of(registered);
    this.checksum = registered.checksum();
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

  /** Of one that has room in the volume's memory. */
  long offset() {
    return offset.orElseThrow();
  }

  /** Where it is read; empty if that is the volume's memory. */
  Optional<RegisteredTensor> registered() {
    return registered;
  }

  long sizeBytes() {
    return tensor.spec().sizeBytes();
  }

  LeasedTensor leased() {
    return new LeasedTensor(tensor, offset(), checksum);
  }

  /** It, as that part of a tensor. */
  HeldPart held(NamedPart part) {
    return new HeldPart(part, offset, checksum);
  }

  TensorListing listing() {
    return new TensorListing(tensor.name(), tensor.spec(), checksum);
  }
}
