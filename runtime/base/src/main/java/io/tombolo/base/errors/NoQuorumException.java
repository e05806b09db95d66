// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** This side does not hold a majority of the last agreed membership. */
public final class NoQuorumException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public NoQuorumException(String message) {
    super(message, Advice.RESTART);
  }

  /** As above, with the failure behind it. */
  public NoQuorumException(String message, Throwable cause) {
    super(message, Advice.RESTART, cause);
  }

  @Override
  TomboloException again(String message) {
    return new NoQuorumException(message, this);
  }
}
