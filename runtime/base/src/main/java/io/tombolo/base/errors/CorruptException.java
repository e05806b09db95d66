// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** Bytes arrived that no correct peer sends. */
public final class CorruptException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public CorruptException(String message) {
    super(message, Advice.RESTART);
  }

  /** As above, with the failure behind it. */
  public CorruptException(String message, Throwable cause) {
    super(message, Advice.RESTART, cause);
  }

  @Override
  TomboloException again(String message) {
    return new CorruptException(message, this);
  }
}
