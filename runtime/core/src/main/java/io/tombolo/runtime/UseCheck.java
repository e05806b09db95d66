// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.exec.agent.Agent;
import java.util.Optional;

/**
 * Refuses what a communicator cannot do any more: nothing once it is closed; nothing that waits for
 * others once it has failed, as they do not come. Thread-safe, and makes no garbage.
 *
 * @param group what the communicator is inside
 * @param agent whose thread, on which users' functions run, must not wait for others
 */
record UseCheck(RankGroup group, Agent agent) {
  /** For all that does something. */
  void requireOpen() {
    if (group.isShut()) {
      throw new UsageException("rank " + rank() + ": the communicator is closed");
    }
  }

  /** For calls that go onto {@code stream}. */
  void requireCallable(Stream stream) {
    requireOpen();
    if (stream == null) {
      throw new UsageException("rank " + rank() + ": a call needs a stream, and got null");
    }
  }

  /** For calls that wait for other ranks, and do so after a failure, too. */
  void requireMayWait() {
    requireOpen();
    agent.requireMayWait();
  }

  /** For calls that wait for other ranks. */
  void requireMayMeet() {
    requireUsable();
    agent.requireMayWait();
  }

  /** For calls that wait for others, who do not come any more once the communicator has failed. */
  private void requireUsable() {
    requireOpen();
    Optional<TomboloException> failure = group.failureState().failure();
    if (failure.isPresent()) {
      throw new AbortedException(
          "rank " + rank() + ": the communicator has failed: " + failure.get().getMessage(),
          failure.get());
    }
  }

  private int rank() {
    return group.members().self();
  }
}
