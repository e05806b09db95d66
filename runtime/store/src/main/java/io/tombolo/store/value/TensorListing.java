// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

/**
 * A tensor in a listing.
 *
 * @param name what it is called
 * @param spec what it is
 * @param checksum CRC-32C of its bytes, computed where they came from
 */
public record TensorListing(String name, TensorSpec spec, int checksum) {}
