// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

/**
 * A number as a vendor's header gives it.
 *
 * @param name the vendor's name for it, or empty where the API says "must be" this number without
 *     naming it
 * @param value the number
 */
public record Fact(String name, long value) {
  /** A number without a name. */
  static Fact unnamed(long value) {
    return new Fact("", value);
  }
}
