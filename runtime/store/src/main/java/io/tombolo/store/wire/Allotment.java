// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.tensors.layout.Box;

/**
 * What one of several writers writes of a tensor.
 *
 * @param offset where the whole tensor begins in the volume's memory
 * @param boxes what it writes of its part: all, less what replicas write, or nothing; disjoint
 */
public record Allotment(long offset, ImmutableList<Box> boxes) {
  static final int LEAST_BYTES = Long.BYTES + Integer.BYTES;

  void write(FieldWriter out) {
    out.i64(offset).list(boxes, WireBounds.TENSORS, Boxes::write);
  }

  static Allotment read(FieldReader in) {
    return new Allotment(in.natural(), in.list(WireBounds.TENSORS, Boxes.LEAST_BYTES, Boxes::read));
  }
}
