// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo store}: a volume of the tensor store, and what is in one.
 *
 * <p>Start at {@link io.tombolo.cli.store.StoreCommand}.
 */
package io.tombolo.cli.store;
