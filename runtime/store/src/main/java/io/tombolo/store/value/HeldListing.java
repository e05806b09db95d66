// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

/**
 * What a holder shows of a state dict, in a listing.
 *
 * @param stateDict whose version it is
 * @param rank which of the holders this is
 * @param version that it shows
 * @param tensors of which it has parts
 * @param sizeBytes of these parts
 */
public record HeldListing(
    String stateDict, HolderRank rank, long version, long tensors, long sizeBytes) {}
