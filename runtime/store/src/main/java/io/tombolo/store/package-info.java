// SPDX-License-Identifier: Apache-2.0
/**
 * A store for tensors, as programs use it.
 *
 * <p>Start at {@link io.tombolo.store.TensorStore}.
 */
package io.tombolo.store;
