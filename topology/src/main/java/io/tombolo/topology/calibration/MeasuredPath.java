// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.topology.machine.LinkCost;

/**
 * What one path was measured to cost, one way.
 *
 * @param kind what carries the bytes
 * @param name the vendor's or the fabric's name
 * @param from a rank
 * @param to another rank, above {@code from}; the same one for copies
 * @param network whether the two are on different hosts
 * @param cost the figures
 */
public record MeasuredPath(
    PathKind kind, String name, int from, int to, boolean network, LinkCost cost) {
  /** Checks that the ends fit the kind. */
  public MeasuredPath {
    checkArgument(
        from >= 0 && (kind == PathKind.COPY ? to == from : to > from),
        "a path of kind %s does not lead from rank %s to rank %s",
        kind.text(),
        from,
        to);
  }
}
