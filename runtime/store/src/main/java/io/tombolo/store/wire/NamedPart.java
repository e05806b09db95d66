// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.tensors.layout.Box;

/**
 * A part of a tensor that has a name.
 *
 * @param tensor the whole tensor
 * @param box the part
 */
public record NamedPart(NamedSpec tensor, Box box) {
  static final int LEAST_BYTES = NamedSpec.LEAST_BYTES + Boxes.LEAST_BYTES;

  void write(FieldWriter out) {
    tensor.write(out);
    Boxes.write(out, box);
  }

  static NamedPart read(FieldReader in) {
    NamedPart part = new NamedPart(NamedSpec.read(in), Boxes.read(in));
    if (!part.tensor.spec().hasPart(part.box)) {
      throw new CorruptException(
          "%s is not a part of '%s', which is %s"
              .formatted(part.box, part.tensor.name(), part.tensor.spec()));
    }
    return part;
  }
}
