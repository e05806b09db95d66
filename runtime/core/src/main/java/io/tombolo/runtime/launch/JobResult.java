// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * How a job ended.
 *
 * @param statuses how each rank ended, by rank
 * @param failure what went wrong first, naming rank and cause; empty if nothing did
 */
public record JobResult(ImmutableList<ExitStatus> statuses, Optional<String> failure) {

  /** Whether every rank ended well and none reported a failure. */
  public boolean isSuccess() {
    return failure.isEmpty() && statuses.stream().allMatch(ExitStatus::isSuccess);
  }
}
