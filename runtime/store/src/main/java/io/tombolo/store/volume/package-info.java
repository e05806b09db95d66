// SPDX-License-Identifier: Apache-2.0
/**
 * The process that holds tensors for others.
 *
 * <p>Start at {@link io.tombolo.store.volume.Volume}; what it knows, without sockets and memory, is
 * in {@code Catalog}, and in {@code JointPut} of what several clients write together.
 */
package io.tombolo.store.volume;
