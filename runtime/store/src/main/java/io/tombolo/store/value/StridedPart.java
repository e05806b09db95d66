// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import io.tombolo.base.errors.UsageException;
import io.tombolo.tensors.layout.Box;

/**
 * What one process has of a tensor that several have parts of, where its program has it.
 *
 * @param whole the whole tensor
 * @param box which part it is; may be empty, or all
 * @param held the part itself, of the type of the whole and the shape of the box
 */
public record StridedPart(TensorSpec whole, Box box, StridedTensor held) {
  /** Checks that the box is a part of the tensor, and the memory one of the box. */
  public StridedPart {
    TensorSpec part = whole.part(box);
    if (!part.equals(held.spec())) {
      throw new UsageException(
          "%s of %s is %s, but the memory given for it holds %s"
              .formatted(box, whole, part, held.spec()));
    }
  }

  /** A part that is row-major and without gaps. */
  public static StridedPart of(TensorPart part) {
    return new StridedPart(part.whole(), part.box(), StridedTensor.of(part.held()));
  }

  /** All of a tensor. */
  public static StridedPart whole(StridedTensor tensor) {
    return new StridedPart(tensor.spec(), tensor.spec().whole(), tensor);
  }
}
