// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** The transport between ranks failed; carries the raw code of the system or library. */
public final class FabricException extends TomboloException {
  private static final long serialVersionUID = 1L;
  private final long rawCode;

  /** An error with the code exactly as it was returned, known to us or not. */
  public FabricException(String message, long rawCode) {
    super(message + " (raw code " + rawCode + ")", Advice.RESTART);
    this.rawCode = rawCode;
  }

  private FabricException(String message, FabricException cause) {
    super(message, Advice.RESTART, cause);
    this.rawCode = cause.rawCode;
  }

  private FabricException(long rawCode, String message) {
    super(message, Advice.RESTART);
    this.rawCode = rawCode;
  }

  /** {@code cause} as part of a larger story: {@code message} tells what that tells, too. */
  public static FabricException of(String message, FabricException cause) {
    return new FabricException(message, cause);
  }

  /** One that another process has met: {@code message} names {@code rawCode} already. */
  public static FabricException told(String message, long rawCode) {
    return new FabricException(rawCode, message);
  }

  /** The code exactly as the library or system returned it. */
  public long rawCode() {
    return rawCode;
  }

  @Override
  TomboloException again(String message) {
    return new FabricException(message, this);
  }
}
