// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

import java.util.OptionalInt;

/** Another rank died, or its connection did; or it has left, in order, who still needed it. */
public final class PeerFailedException extends TomboloException {
  private static final long serialVersionUID = 1L;
  private static final int UNKNOWN = -1;

  private final int peer;
  private final boolean hasLeft;

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
    this(message, peer, false, cause);
  }

  private PeerFailedException(String message, int peer, boolean hasLeft, Throwable cause) {
    super(message, Advice.RESTART, cause);
    this.peer = peer;
    this.hasLeft = hasLeft;
  }

  /** Rank {@code peer} of the job has left in order: that is known, and nothing is behind it. */
  public static PeerFailedException ofOneThatLeft(String message, int peer, Throwable cause) {
    return new PeerFailedException(message, peer, true, cause);
  }

  /** To which rank of the job a connection has failed, if that is what was seen. */
  public OptionalInt peer() {
    return peer == UNKNOWN ? OptionalInt.empty() : OptionalInt.of(peer);
  }

  @Override
  public boolean isSecondHand() {
    return !hasLeft;
  }

  @Override
  TomboloException again(String message) {
    return new PeerFailedException(message, peer, hasLeft, this);
  }
}
