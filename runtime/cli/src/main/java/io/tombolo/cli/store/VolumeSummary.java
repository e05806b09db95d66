// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import io.tombolo.store.value.VolumeFigures;

/** {@link VolumeFigures} as JSON has them: the names of its members stay. */
record VolumeSummary(
    long capacityBytes,
    long freeBytes,
    long largestGapBytes,
    long keptVersions,
    long clients,
    long puts,
    long leases,
    long tensors,
    long stateDicts,
    long versions) {
  static VolumeSummary of(VolumeFigures figures) {
    return new VolumeSummary(
        figures.capacityBytes(),
        figures.freeBytes(),
        figures.largestGapBytes(),
        figures.keptVersions(),
        figures.clients(),
        figures.puts(),
        figures.leases(),
        figures.tensors(),
        figures.stateDicts(),
        figures.versions());
  }
}
