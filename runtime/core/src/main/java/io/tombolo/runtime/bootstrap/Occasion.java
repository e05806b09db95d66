// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.Store;
import java.util.List;

/**
 * What ranks come together for, and what to tell people of those that do not.
 *
 * @param name for messages: {@code rendezvous}
 * @param fix what helps, for messages
 */
public record Occasion(String name, String fix) {
  /** Of the ranks of a job, which may have been started in the wrong way. */
  static Occasion ofJob(String name, Store store, int size) {
    return new Occasion(
        name, "check that they run with WORLD_SIZE=" + size + " and reach " + store.where());
  }

  String progress(List<Integer> missing, int size, Deadline deadline) {
    return "%s: %s of %s ranks have not come after %s of %s s: %s"
        .formatted(
            name,
            missing.size(),
            size,
            deadline.elapsedNs() / 1_000_000_000,
            deadline.budgetNs() / 1_000_000_000,
            Turnout.named(missing));
  }

  String absent(List<Integer> missing, int size, Deadline deadline) {
    return "%s: %s of %s ranks did not come within %s ms: %s. Look at their output, and %s"
        .formatted(
            name,
            missing.size(),
            size,
            deadline.budgetNs() / 1_000_000,
            Turnout.named(missing),
            fix);
  }

  String stuck(List<Integer> held, int size, Deadline deadline) {
    return "%s: all %s ranks came, but of %s nothing more was heard within %s ms; look at the output, and whether the process is stopped"
        .formatted(name, size, Turnout.named(held), deadline.budgetNs() / 1_000_000);
  }
}
