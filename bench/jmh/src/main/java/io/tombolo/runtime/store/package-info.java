// SPDX-License-Identifier: Apache-2.0
/**
 * Times of the store's wire format; start at {@code StoreWireBench}. Beside the product's package
 * of this name, because what is timed is package-private.
 */
package io.tombolo.runtime.store;
