// SPDX-License-Identifier: Apache-2.0
/**
 * The words that all of Tombolo shares: element types and operators, memory that Java may not
 * touch, deadlines, tokens and counters.
 *
 * <p>Start at {@link io.tombolo.base.DataType} and {@link io.tombolo.base.NativeMemory}; the errors
 * live in {@link io.tombolo.base.errors}.
 */
package io.tombolo.base;
