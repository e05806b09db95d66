// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** The caller asked for something that makes no sense; nothing was started. */
public final class UsageException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public UsageException(String message) {
    super(message, Advice.FIX_CALL);
  }

  /** As above, with the failure behind it. */
  public UsageException(String message, Throwable cause) {
    super(message, Advice.FIX_CALL, cause);
  }

  @Override
  TomboloException again(String message) {
    return new UsageException(message, this);
  }
}
