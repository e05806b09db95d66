// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo get}: fetches what vendors do not let anyone pass on.
 *
 * <p>Start at {@link io.tombolo.cli.get.GetCommand}.
 */
package io.tombolo.cli.get;
