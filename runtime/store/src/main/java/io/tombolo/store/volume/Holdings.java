// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.UsageException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What this process shows of state dicts that it holds parts of: the newest version of each. Older
 * ones stay in memory for as long as somebody reads them. Thread-safe.
 */
final class Holdings {
  /** A version, and the promise that it stays. */
  record Opened(HeldVersion held, Lease lease) {}

  private final Catalog catalog;
  private final Map<String, HeldVersion> newest = new HashMap<>();

  Holdings(Catalog catalog) {
    this.catalog = catalog;
  }

  /** Shows a version at once and as a whole, in place of the one before. */
  synchronized void show(String stateDict, HeldVersion version) {
    HeldVersion before = newest.get(stateDict);
    if (before != null && before.version() >= version.version()) {
      catalog.forget(version.tensors());
      throw new UsageException(
          "version %s of state dict '%s' is not newer than %s, which this process shows"
              .formatted(version.version(), stateDict, before.version()));
    }
    newest.put(stateDict, version);
    if (before != null) {
      catalog.forget(before.tensors());
    }
    notifyAll();
  }

  /** Shows nothing more of a state dict. */
  synchronized void withdraw(String stateDict) {
    HeldVersion before = newest.remove(stateDict);
    if (before != null) {
      catalog.forget(before.tensors());
    }
  }

  /** The version shown, once it is {@code atLeast} or later; nothing if it is not by then. */
  synchronized Optional<Opened> open(String stateDict, long atLeast, Deadline deadline)
      throws InterruptedException {
    while (true) {
      HeldVersion held = newest.get(stateDict);
      if (held != null && held.version() >= atLeast) {
        return Optional.of(new Opened(held, catalog.lend(held.version(), held.tensors())));
      }
      if (deadline.isExpired()) {
        return Optional.empty();
      }
      wait(deadline.waitMs());
    }
  }
}
