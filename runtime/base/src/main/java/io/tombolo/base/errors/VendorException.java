// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** A vendor library refused or failed; carries its raw code. */
public final class VendorException extends TomboloException {
  private static final long serialVersionUID = 1L;
  private final long rawCode;
  private final boolean secondHand;

  /** An error with the code exactly as it was returned, known to us or not. */
  public VendorException(String message, long rawCode) {
    this(rawCode, message + " (raw code " + rawCode + ")", false);
  }

  private VendorException(String message, VendorException cause) {
    super(message, Advice.RESTART, cause);
    this.rawCode = cause.rawCode;
    this.secondHand = cause.secondHand;
  }

  private VendorException(long rawCode, String message, boolean secondHand) {
    super(message, Advice.RESTART);
    this.rawCode = rawCode;
    this.secondHand = secondHand;
  }

  /** As the first, with a code by which a library says that another member has failed or left. */
  public static VendorException ofAnotherMember(String message, long rawCode) {
    return new VendorException(rawCode, message + " (raw code " + rawCode + ")", true);
  }

  /** One that another process has met: {@code message} names {@code rawCode} already. */
  public static VendorException told(String message, long rawCode) {
    return new VendorException(rawCode, message, false);
  }

  /** The code exactly as the library or system returned it. */
  public long rawCode() {
    return rawCode;
  }

  @Override
  public boolean isSecondHand() {
    return secondHand;
  }

  @Override
  TomboloException again(String message) {
    return new VendorException(message, this);
  }
}
