// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import java.time.Duration;

/**
 * A round that does not come to its end, because the thread that makes it is in somebody else's
 * code and does not come back.
 *
 * @param thread the name of that thread
 * @param call where it is, such as a vendor's function
 * @param lasted how long the round has lasted so far
 */
public record StuckRound(String thread, String call, Duration lasted) {

  /** As errors say it. */
  public String text() {
    return "held up by %s, which %s has been in for %s ms; look at who it may wait for"
        .formatted(call, thread, lasted.toMillis());
  }
}
