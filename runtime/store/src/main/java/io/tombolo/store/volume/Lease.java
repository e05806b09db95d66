// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;

/**
 * Tensors that stay as they are while somebody reads them.
 *
 * @param version of the state dict that they are; else 0
 * @param tensors in the order they were asked for, or put
 */
record Lease(long version, ImmutableList<StoredTensor> tensors) {}
