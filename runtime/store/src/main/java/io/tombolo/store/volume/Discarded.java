// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tensors that nobody needs any more, and whose room is still taken. Closed outside all monitors:
 * until a device has let go of a large tensor may take long, and only who needs that room is to
 * wait. One thread's.
 */
final class Discarded implements AutoCloseable {
  private final Catalog catalog;
  private final Consumer<StoredTensor> beforeReuse;
  private final List<StoredTensor> tensors = new ArrayList<>();

  Discarded(Catalog catalog, Consumer<StoredTensor> beforeReuse) {
    this.catalog = catalog;
    this.beforeReuse = beforeReuse;
  }

  /** One more; its catalogue counts it until it is given back. */
  void add(StoredTensor tensor) {
    tensors.add(tensor);
  }

  /** Gives their room back. What a device may still have, after a defect, stays taken. */
  @Override
  public void close() {
    if (tensors.isEmpty()) {
      return;
    }
    List<StoredTensor> free = new ArrayList<>(tensors.size());
    try {
      for (StoredTensor tensor : tensors) {
        beforeReuse.accept(tensor);
        free.add(tensor);
      }
    } finally {
      catalog.giveBack(free, tensors);
    }
  }
}
