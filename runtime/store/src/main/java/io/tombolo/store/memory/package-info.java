// SPDX-License-Identifier: Apache-2.0
/**
 * The memory of a volume: a file of memory that all processes of its user can map, the ranges of it
 * that are free, and copies with a checksum.
 *
 * <p>Start at {@link io.tombolo.store.memory.MemoryFile}.
 */
package io.tombolo.store.memory;
