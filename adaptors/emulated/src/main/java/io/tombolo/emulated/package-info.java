// SPDX-License-Identifier: Apache-2.0
/**
 * The emulated vendors: C libraries with the vendors' own ABIs over host memory, opened exactly as
 * the vendors' libraries are.
 *
 * <p>Start at {@link io.tombolo.emulated.EmulatedVendors}. They are never called by the vendors'
 * bare names: {@code emu-nvidia}, not {@code nvidia}.
 */
package io.tombolo.emulated;
