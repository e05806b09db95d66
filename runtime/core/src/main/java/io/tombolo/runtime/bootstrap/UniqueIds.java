// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.util.function.Supplier;

/** Hands what one rank makes, such as a vendor's unique id, to the ranks that need it. */
public final class UniqueIds {
  private UniqueIds() {}

  /**
   * The value of {@code key}, made by {@code make} on {@code owner} and awaited by the others.
   *
   * @param key names this handing over; once per job
   * @param rank who calls
   * @param owner who makes the value
   * @throws DeadlineExceededException naming the owner, if it did not hand the value over in time
   */
  public static byte[] share(
      Store store, String key, int rank, int owner, Supplier<byte[]> make, Deadline deadline) {
    Store desk = store.within("unique-id");
    if (rank == owner) {
      byte[] made = make.get();
      desk.set(key, made);
      return made;
    }
    try {
      return desk.await(key, deadline);
    } catch (DeadlineExceededException e) {
      throw new DeadlineExceededException(
          "rank %s waited %s ms for rank %s to hand over '%s'; look at the output of rank %s"
              .formatted(rank, deadline.budgetNs() / 1_000_000, owner, key, owner),
          e);
    }
  }
}
