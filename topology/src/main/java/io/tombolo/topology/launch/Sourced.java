// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

/**
 * A value and where it is from.
 *
 * @param value the value
 * @param origin the environment variable's name, or how it was derived from one
 */
public record Sourced<T>(T value, String origin) {

  /** As an assignment to the variable: {@code RANK=1}. */
  public String assignment() {
    return origin + "=" + value;
  }

  @Override
  public String toString() {
    return value + " (" + origin + ")";
  }
}
