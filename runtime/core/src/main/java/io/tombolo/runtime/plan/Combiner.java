// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.base.DataType;
import java.nio.ByteBuffer;

/**
 * A user's reduction: combines elements on the host. Called on threads of the process's own, or on
 * that of a caller in {@link io.tombolo.runtime.work.Work#await}, never on two at once. It must not
 * itself wait for an operation.
 */
@FunctionalInterface
public interface Combiner {
  /**
   * Sets {@code into[i] = left[i] op right[i]} for whole elements of {@code type}. The buffers are
   * of one size, little-endian and positioned at 0; {@code into} may be the same memory as {@code
   * left} or {@code right}. What it throws fails the operation.
   */
  void combine(ByteBuffer left, ByteBuffer right, ByteBuffer into, DataType type);
}
