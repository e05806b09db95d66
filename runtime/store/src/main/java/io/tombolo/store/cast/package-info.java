// SPDX-License-Identifier: Apache-2.0
/**
 * Tensors made narrower where they are, before they move; start at {@link
 * io.tombolo.store.cast.Cast}.
 */
package io.tombolo.store.cast;
