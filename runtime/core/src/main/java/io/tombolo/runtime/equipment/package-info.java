// SPDX-License-Identifier: Apache-2.0
/**
 * What one process has before it meets the others: device, vendor library, fabrics; and how it puts
 * them together with theirs.
 *
 * <p>Start at {@link io.tombolo.runtime.equipment.Equipment}.
 */
package io.tombolo.runtime.equipment;
