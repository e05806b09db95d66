// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import io.tombolo.tensors.layout.Box;

/**
 * A part of a tensor, without its bytes.
 *
 * @param whole the whole tensor
 * @param box which part it is; may be empty, or all
 */
public record PartSpec(TensorSpec whole, Box box) {
  /** Checks that the box is a part of the tensor. */
  public PartSpec {
    whole.part(box);
  }

  /** What the part is, as a tensor of its own. */
  public TensorSpec held() {
    return whole.part(box);
  }
}
