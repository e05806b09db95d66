// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

/**
 * What one rank holds, or is to hold, of a tensor.
 *
 * @param rank its number among the ranks of its layout
 * @param place where it lives
 * @param box its part, which may be empty
 */
public record Shard(int rank, Place place, Box box) {}
