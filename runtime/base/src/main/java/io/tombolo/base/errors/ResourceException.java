// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base.errors;

/** Memory, descriptors or another bounded resource ran out; nothing was started. */
public final class ResourceException extends TomboloException {
  private static final long serialVersionUID = 1L;

  /** An error that says who, what and what to do next. */
  public ResourceException(String message) {
    super(message, Advice.RETRY);
  }

  /** As above, with the failure behind it. */
  public ResourceException(String message, Throwable cause) {
    super(message, Advice.RETRY, cause);
  }

  @Override
  TomboloException again(String message) {
    return new ResourceException(message, this);
  }
}
