// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** Two ranks disagree about something they must share; the message shows both sides. */
public final class MismatchException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public MismatchException(String message) {
    super(message, Advice.FIX_JOB);
  }

  /** As above, with the failure behind it. */
  public MismatchException(String message, Throwable cause) {
    super(message, Advice.FIX_JOB, cause);
  }

  @Override
  TomboloException again(String message) {
    return new MismatchException(message, this);
  }
}
