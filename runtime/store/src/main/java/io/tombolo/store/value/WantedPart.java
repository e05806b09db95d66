// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import io.tombolo.base.errors.UsageException;
import io.tombolo.tensors.layout.Box;

/**
 * A part of a tensor that somebody wants, and where.
 *
 * @param name what the tensor is called
 * @param part which part of it
 * @param target what the part is copied to: of the tensor's type, and the part's shape
 */
public record WantedPart(String name, Box part, HostTensor target) {
  /** Refuses a target that is another than such a part of a tensor that is {@code whole}. */
  public void checkAgainst(TensorSpec whole) {
    TensorSpec wanted = whole.part(part);
    if (!wanted.equals(target.spec())) {
      throw new UsageException(
          "%s of '%s' is %s, but the memory given for it holds %s"
              .formatted(part, name, wanted, target.spec()));
    }
  }
}
