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

  @Override
  TomboloException again(String message) {
    return new AbortedException(message, this);
  }
}
