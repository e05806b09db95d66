// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Nearness;

/**
 * A part of a tensor on its way from one rank to another.
 *
 * @param from the rank of the old layout that has it
 * @param to the rank of the new layout that gets it
 * @param box the part; never empty
 * @param nearness how far it travels
 */
public record Transfer(int from, int to, Box box, Nearness nearness) {
  @Override
  public String toString() {
    return "%s → %s: %s, %s".formatted(from, to, box, nearness.words());
  }
}
