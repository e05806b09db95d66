// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** The root of all errors this library throws. Unchecked: every call can meet a failed peer. */
public abstract sealed class TomboloException extends RuntimeException
    permits UsageException,
        UnsupportedException,
        UnavailableException,
        MismatchException,
        PeerFailedException,
        DeadlineExceededException,
        AbortedException,
        NoQuorumException,
        FabricException,
        VendorException,
        CorruptException,
        ResourceException {
  private static final long serialVersionUID = 1L;
  private final Advice advice;
  private volatile String context = "";

  TomboloException(String message, Advice advice) {
    super(message);
    this.advice = advice;
  }

  TomboloException(String message, Advice advice, Throwable cause) {
    super(message, cause);
    this.advice = advice;
  }

  /** What the caller can do about it. */
  public Advice advice() {
    return advice;
  }

  /**
   * Whether this says only that another rank, or the way to it, has failed: what that rank itself
   * says of it counts for more.
   */
  public boolean isSecondHand() {
    return false;
  }

  /**
   * Tells this error as part of a larger story: {@code context} then comes before the message. The
   * first context stays.
   */
  public final TomboloException during(String newContext) {
    if (context.isEmpty()) {
      context = newContext + ": ";
    }
    return this;
  }

  /**
   * This error as another call meets it, which ends with it: of the same type, with {@code call}
   * before its message, and with this as its cause.
   */
  public final TomboloException metBy(String call) {
    return again(call + ": " + getMessage());
  }

  /** Another of the same type with {@code message}, and with this as its cause. */
  abstract TomboloException again(String message);

  @Override
  public final String getMessage() {
    return context + super.getMessage();
  }
}
