// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** Another rank died, or its connection did. */
public final class PeerFailedException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public PeerFailedException(String message) {
    super(message, Advice.RESTART);
  }

  /** As above, with the failure behind it. */
  public PeerFailedException(String message, Throwable cause) {
    super(message, Advice.RESTART, cause);
  }

  @Override
  public boolean isSecondHand() {
    return true;
  }

  @Override
  TomboloException again(String message) {
    return new PeerFailedException(message, this);
  }
}
