// SPDX-License-Identifier: Apache-2.0
/**
 * A call as its caller makes it and holds it.
 *
 * <p>Start at {@link io.tombolo.runtime.work.PlacedCall}, which says what is called on which
 * memory, with {@link io.tombolo.runtime.work.CallOptions}; a {@link io.tombolo.runtime.work.Work}
 * comes back.
 */
package io.tombolo.runtime.work;
