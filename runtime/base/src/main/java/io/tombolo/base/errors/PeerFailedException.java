// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

import java.util.OptionalInt;

/** Another rank died, or its connection did. */
public final class PeerFailedException extends TomboloException {
  private static final long serialVersionUID = 1L;
  private static final int UNKNOWN = -1;

  private final int peer;

  /** An error that says who, what and what to do next. */
  public PeerFailedException(String message) {
    this(message, null);
  }

  /** As above, with the failure behind it. */
  public PeerFailedException(String message, Throwable cause) {
    this(message, UNKNOWN, cause);
  }

  /** As above; the connection to rank {@code peer} of the job has failed. */
  public PeerFailedException(String message, int peer, Throwable cause) {
    super(message, Advice.RESTART, cause);
    this.peer = peer;
  }

  /** To which rank of the job a connection has failed, if that is what was seen. */
  public OptionalInt peer() {
    return peer == UNKNOWN ? OptionalInt.empty() : OptionalInt.of(peer);
  }

  @Override
  public boolean isSecondHand() {
    return true;
  }

  @Override
  TomboloException again(String message) {
    return new PeerFailedException(message, peer, this);
  }
}
