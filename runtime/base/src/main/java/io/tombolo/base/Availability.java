// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/** Whether a vendor library or a fabric can be used in this process, in words people understand. */
public sealed interface Availability {

  /** It can; {@code version} is what the library says of itself. */
  record Available(String version) implements Availability {}

  /** It cannot: why, and what to do about it. */
  record Missing(String cause, String fix) implements Availability {
    /** Takes the fix off the end of {@code cause}, where an error's message has it. */
    public Missing {
      String ending = "; " + fix;
      cause = cause.endsWith(ending) ? cause.substring(0, cause.length() - ending.length()) : cause;
    }
  }

  /** Whether this is {@link Available}. */
  default boolean isAvailable() {
    return this instanceof Available;
  }
}
