// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** The operation was given up on purpose, by this rank or another. */
public final class AbortedException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public AbortedException(String message) {
    super(message, Advice.RESTART);
  }

  /** As above, with the failure behind it. */
  public AbortedException(String message, Throwable cause) {
    super(message, Advice.RESTART, cause);
  }

  private AbortedException(String message, Advice advice, Throwable cause) {
    super(message, advice, cause);
  }

  /**
   * A wait was given up, but not what it waited for, which goes on: the advice is to wait again.
   */
  public static AbortedException ofWait(String message, Throwable cause) {
    return new AbortedException(message, Advice.WAIT, cause);
  }

  @Override
  TomboloException again(String message) {
    return new AbortedException(message, advice(), this);
  }
}
