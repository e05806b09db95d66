// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

/**
 * How a volume is.
 *
 * @param capacityBytes of its memory
 * @param freeBytes that nothing lies in
 * @param largestGapBytes the largest tensor that fits
 * @param keptVersions of each state dict
 * @param clients that are connected
 * @param puts under way
 * @param leases that clients hold
 * @param tensors that have a name of their own
 * @param stateDicts in it
 * @param versions of all state dicts
 */
public record VolumeFigures(
    long capacityBytes,
    long freeBytes,
    long largestGapBytes,
    long keptVersions,
    long clients,
    long puts,
    long leases,
    long tensors,
    long stateDicts,
    long versions) {}
