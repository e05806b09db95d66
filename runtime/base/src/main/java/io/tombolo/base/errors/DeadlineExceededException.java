// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** A wait ended without what it waited for. */
public final class DeadlineExceededException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public DeadlineExceededException(String message) {
    super(message, Advice.RESTART);
  }

  /** As above, with the failure behind it. */
  public DeadlineExceededException(String message, Throwable cause) {
    super(message, Advice.RESTART, cause);
  }

  private DeadlineExceededException(String message, Advice advice, Throwable cause) {
    super(message, advice, cause);
  }

  /** A wait is over, but not what it waited for, which goes on: the advice is to wait again. */
  public static DeadlineExceededException ofWait(String message) {
    return new DeadlineExceededException(message, Advice.WAIT, null);
  }

  @Override
  TomboloException again(String message) {
    return new DeadlineExceededException(message, advice(), this);
  }
}
