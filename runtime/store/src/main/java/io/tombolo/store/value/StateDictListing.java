// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

/**
 * A state dict in a listing.
 *
 * @param name what it is called
 * @param oldest the oldest version that is kept
 * @param newest the newest version
 * @param tensors of the newest version
 * @param sizeBytes of the newest version
 */
public record StateDictListing(
    String name, long oldest, long newest, long tensors, long sizeBytes) {}
