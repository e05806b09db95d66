// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import io.tombolo.base.errors.UsageException;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.TensorLayout;

/**
 * What one process has of a tensor that several have parts of.
 *
 * @param whole the whole tensor
 * @param box which part it is; may be empty, or all
 * @param held the part itself, of the type of the whole and the shape of the box
 */
public record TensorPart(TensorSpec whole, Box box, HostTensor held) {
  /** Checks that the box is a part of the tensor, and the memory one of the box. */
  public TensorPart {
    TensorSpec part = whole.part(box);
    if (!part.equals(held.spec())) {
      throw new UsageException(
          "%s of %s is %s, but the memory given for it holds %s"
              .formatted(box, whole, part, held.spec()));
    }
  }

  /** What {@code rank} has of a tensor with this layout. */
  public static TensorPart of(TensorLayout layout, int rank, HostTensor held) {
    TensorSpec whole = TensorSpec.of(held.spec().type(), layout.whole().shape());
    return new TensorPart(whole, layout.shards().get(rank).box(), held);
  }

  /** All of a tensor. */
  public static TensorPart whole(HostTensor tensor) {
    return new TensorPart(tensor.spec(), tensor.spec().whole(), tensor);
  }
}
