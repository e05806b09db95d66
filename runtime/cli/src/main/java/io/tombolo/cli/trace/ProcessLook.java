// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import io.tombolo.runtime.bootstrap.RankClaim;

/** What has become of a process that has written nothing of an end. */
enum ProcessLook {
  /** It is there. */
  RUNNING,
  /** It is there, and a signal has stopped it. */
  STOPPED,
  /** It has ended. */
  GONE,
  /** It is, or was, on another host, or in another container. */
  UNKNOWN;

  static ProcessLook at(RankClaim process) {
    if (!process.isNear()) {
      return UNKNOWN;
    }
    if (process.isGone()) {
      return GONE;
    }
    return process.isStopped() ? STOPPED : RUNNING;
  }
}
