// SPDX-License-Identifier: Apache-2.0
/**
 * What a store holds: tensors in host memory.
 *
 * <p>Start at {@link io.tombolo.store.value.HostTensor}.
 */
package io.tombolo.store.value;
