// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;

/**
 * Tensors that are being written, which nobody can see yet.
 *
 * @param stateDict whose next version they will be; empty if each has a name of its own
 * @param tensors in the order they were announced
 */
record PendingPut(String stateDict, ImmutableList<StoredTensor> tensors) {}
