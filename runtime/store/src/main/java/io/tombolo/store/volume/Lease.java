// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.store.wire.LeaseFence;
import java.util.Optional;

/** Tensors that stay as they are while somebody reads them, unless they are taken from him. */
final class Lease {
  private final long version;
  private final ImmutableList<StoredTensor> tensors;
  private final Optional<LeaseFence> fence;

  /**
   * A lease of its own, also if another is on the same.
   *
   * @param version of the state dict that they are; else 0
   * @param tensors in the order they were asked for, or put
   * @param fence by which they can be taken back, if they can
   */
  Lease(long version, ImmutableList<StoredTensor> tensors, Optional<LeaseFence> fence) {
    this.version = version;
    this.tensors = tensors;
    this.fence = fence;
  }

  long version() {
    return version;
  }

  ImmutableList<StoredTensor> tensors() {
    return tensors;
  }

  boolean isUnder(LeaseFence dropped) {
    return fence.isPresent() && fence.get().equals(dropped);
  }
}
