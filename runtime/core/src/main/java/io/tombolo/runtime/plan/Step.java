// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.primitives.ImmutableIntArray;

/**
 * One step of a program.
 *
 * @param id position in the program
 * @param action what to do
 * @param after ids of earlier steps that must be complete first
 */
public record Step(int id, Action action, ImmutableIntArray after) {
  @Override
  public String toString() {
    return id + ": " + action + (after.isEmpty() ? "" : ", after " + after);
  }
}
