// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** A vendor library refused or failed; carries its raw code. */
public final class VendorException extends TomboloException {
  private static final long serialVersionUID = 1L;
  private final long rawCode;

  /** An error with the code exactly as it was returned, known to us or not. */
  public VendorException(String message, long rawCode) {
    super(message + " (raw code " + rawCode + ")", Advice.RESTART);
    this.rawCode = rawCode;
  }

  private VendorException(String message, VendorException cause) {
    super(message, Advice.RESTART, cause);
    this.rawCode = cause.rawCode;
  }

  private VendorException(long rawCode, String message) {
    super(message, Advice.RESTART);
    this.rawCode = rawCode;
  }

  /** One that another process has met: {@code message} names {@code rawCode} already. */
  public static VendorException told(String message, long rawCode) {
    return new VendorException(rawCode, message);
  }

  /** The code exactly as the library or system returned it. */
  public long rawCode() {
    return rawCode;
  }

  @Override
  TomboloException again(String message) {
    return new VendorException(message, this);
  }
}
