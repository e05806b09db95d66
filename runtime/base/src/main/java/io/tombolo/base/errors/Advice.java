// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/**
 * What to do after an error: whether the communicator lives on, and whether outputs mean anything.
 */
public enum Advice {
  /**
   * Correct the call and make it again: nothing started, the communicator is usable, outputs are
   * untouched.
   */
  FIX_CALL(true, true),
  /** Correct how the job was started: the communicator cannot be used. */
  FIX_JOB(false, false),
  /** Install what is missing: nothing started. */
  INSTALL(true, true),
  /** Try again later: nothing started, the communicator is usable, outputs are untouched. */
  RETRY(true, true),
  /**
   * Wait again, or abort the operation: it goes on, the communicator is usable, outputs are
   * undefined until it has ended.
   */
  WAIT(true, false),
  /** Close the communicator and make a new one: outputs of unfinished operations are undefined. */
  RESTART(false, false);

  private final boolean usable;
  private final boolean outputDefined;

  Advice(boolean usable, boolean outputDefined) {
    this.usable = usable;
    this.outputDefined = outputDefined;
  }

  /** Whether the communicator can carry further operations. */
  public boolean communicatorUsable() {
    return usable;
  }

  /** Whether the output buffers hold what they held before the call. */
  public boolean outputDefined() {
    return outputDefined;
  }
}
