// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** A library, device or service is missing or does not answer; the message ends with the fix. */
public final class UnavailableException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public UnavailableException(String message) {
    super(message, Advice.INSTALL);
  }

  /** As above, with the failure behind it. */
  public UnavailableException(String message, Throwable cause) {
    super(message, Advice.INSTALL, cause);
  }

  @Override
  TomboloException again(String message) {
    return new UnavailableException(message, this);
  }
}
