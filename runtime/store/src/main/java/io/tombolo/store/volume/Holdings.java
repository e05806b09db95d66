// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.wire.LeaseFence;
import io.tombolo.store.wire.Reply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What this process shows of state dicts that it holds parts of: the newest version of each. Older
 * ones stay in memory for as long as somebody reads them, and it is not withdrawn. Thread-safe.
 */
final class Holdings {
  /** A version, and the promise that it stays until the fence is dropped. */
  record Opened(HeldVersion held, Lease lease, LeaseFence fence) {}

  /** What is shown of a state dict, and under which fence it is lent. */
  private record Shown(HeldVersion newest, LeaseFence fence) {}

  private final Catalog catalog;
  private final Fences fences;
  private final Map<String, Shown> shown = new TreeMap<>();

  Holdings(Catalog catalog, Fences fences) {
    this.catalog = catalog;
    this.fences = fences;
  }

  /** Shows a version at once and as a whole, in place of the one before. */
  void show(String stateDict, HeldVersion version) {
    try (Discarded discarded = catalog.discarding()) {
      show(stateDict, version, discarded);
    }
  }

  private synchronized void show(String stateDict, HeldVersion version, Discarded discarded) {
    Shown before = shown.get(stateDict);
    try {
      shown.put(stateDict, new Shown(version, fenceOf(stateDict, before, version)));
    } catch (UsageException | ResourceException e) {
      catalog.forget(version.tensors(), discarded);
      throw e;
    }
    if (before != null) {
      catalog.forget(before.newest().tensors(), discarded);
    }
    notifyAll();
  }

  private LeaseFence fenceOf(String stateDict, Shown before, HeldVersion version) {
    if (before == null) {
      return fences.raise();
    }
    HeldVersion newest = before.newest();
    if (newest.registration().isPresent() || version.registration().isPresent()) {
      throw new UsageException(
          ("this process shows version %s of state dict '%s'; registered tensors neither replace a"
                  + " version nor are replaced: withdraw it first")
              .formatted(newest.version(), stateDict));
    } else if (newest.version() >= version.version()) {
      throw new UsageException(
          "version %s of state dict '%s' is not newer than %s, which this process shows"
              .formatted(version.version(), stateDict, newest.version()));
    }
    return before.fence();
  }

  /** Shows nothing more of a state dict, and ends the leases on what was shown of it. */
  void withdraw(String stateDict) {
    try (Discarded discarded = catalog.discarding()) {
      withdraw(stateDict, discarded);
    }
  }

  private synchronized void withdraw(String stateDict, Discarded discarded) {
    Shown before = shown.remove(stateDict);
    if (before != null) {
      fences.drop(before.fence()); // first, as what is given back may be written at once
      catalog.revoke(before.fence(), discarded);
      before.newest().registration().ifPresent(TensorRegistration::end);
      catalog.forget(before.newest().tensors(), discarded);
    }
  }

  /** Withdraws all registered tensors: nobody reads them any more. */
  synchronized void withdrawRegistered() {
    List<String> registered =
        shown.entrySet().stream()
            .filter(each -> each.getValue().newest().registration().isPresent())
            .map(Map.Entry::getKey)
            .toList();
    registered.forEach(this::withdraw);
  }

  /** All that is shown, in the order of the state dicts' names. */
  synchronized Reply.Shown shown() {
    return new Reply.Shown(
        shown.entrySet().stream()
            .map(each -> each.getValue().newest().listing(each.getKey()))
            .collect(ImmutableList.toImmutableList()));
  }

  /** The version shown, once it is {@code atLeast} or later; nothing if it is not by then. */
  synchronized Optional<Opened> open(String stateDict, long atLeast, Deadline deadline)
      throws InterruptedException {
    while (true) {
      Shown now = shown.get(stateDict);
      if (now != null && now.newest().version() >= atLeast) {
        HeldVersion held = now.newest();
        Lease lease = catalog.lend(held.version(), held.tensors(), Optional.of(now.fence()));
        return Optional.of(new Opened(held, lease, now.fence()));
      }
      if (deadline.isExpired()) {
        return Optional.empty();
      }
      wait(deadline.waitMs());
    }
  }
}
