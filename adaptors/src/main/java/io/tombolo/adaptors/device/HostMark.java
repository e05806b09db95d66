// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.base.errors.AbortedException;

/**
 * One point in a {@link HostStream}: not reached, reached, or never to be reached because the
 * stream failed.
 */
final class HostMark implements HostStream.Work {
  private volatile boolean reached;
  private volatile Throwable failure;

  @Override
  public void run() {
    reached = true;
  }

  @Override
  public void abandon(Throwable cause) {
    failure = cause;
  }

  /**
   * Whether the stream has passed this point; an {@link AbortedException} with the cause if it
   * never will.
   */
  boolean isReached() {
    Throwable cause = failure;
    if (cause != null) {
      throw new AbortedException(
          "the stream failed before it reached the event: " + cause.getMessage(), cause);
    }
    return reached;
  }
}
