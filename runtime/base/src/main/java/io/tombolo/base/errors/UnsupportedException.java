// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** The call is legal but nothing on this job can carry it out; nothing was started. */
public final class UnsupportedException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public UnsupportedException(String message) {
    super(message, Advice.FIX_CALL);
  }

  /** As above, with the failure behind it. */
  public UnsupportedException(String message, Throwable cause) {
    super(message, Advice.FIX_CALL, cause);
  }

  @Override
  TomboloException again(String message) {
    return new UnsupportedException(message, this);
  }
}
