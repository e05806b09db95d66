// SPDX-License-Identifier: Apache-2.0
/**
 * Reductions done by the host's processor, for devices that cannot reduce by themselves.
 *
 * <p>Start at {@link io.tombolo.adaptors.reduce.HostReducer}.
 */
package io.tombolo.adaptors.reduce;
