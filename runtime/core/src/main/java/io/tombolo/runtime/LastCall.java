// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.work.PlacedCall;

/**
 * The last call that was one of a library, and what was made of it: most calls repeat the one
 * before, on the same memory. Then nothing is found out again, such as whether it is in place and
 * how it is planned, and nothing is made. Whose memory it is has no part in it: see {@link
 * DirectTasks}. Thread-safe.
 */
final class LastCall {
  private record Known(PlacedCall asked, Submission submission) {
    boolean is(PlacedCall other) {
      return asked.send() == other.send()
          && asked.receive() == other.receive()
          && asked.call().equals(other.call());
    }
  }

  private volatile Known known;

  /** What was made of {@code asked}, if that was the last one; else null. */
  Submission find(PlacedCall asked) {
    Known last = known;
    return last != null && last.is(asked) ? last.submission() : null;
  }

  /** {@code submission} has been made of {@code asked}, and is remembered if it is such a call. */
  void note(PlacedCall asked, Submission submission) {
    Task task = submission.tasks().get(0);
    if (task.plan().isOneCall() && task.input().isEmpty() && task.output().isEmpty()) {
      known = new Known(asked, submission);
    }
  }
}
