// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

/**
 * Shows the other ranks what this one calls before the agent comes to it, where they can see it.
 */
@FunctionalInterface
public interface EarlyVote {
  /** Shows nothing: the agent votes when it comes to it. */
  EarlyVote NONE = (sequence, submission) -> {};

  /** This rank makes {@code submission} its operation {@code sequence}. */
  void cast(long sequence, Submission submission);
}
