// SPDX-License-Identifier: Apache-2.0
/**
 * What clients and volumes say to each other, and the socket that carries it.
 *
 * <p>Start at {@link io.tombolo.store.wire.VolumeRequest}.
 */
package io.tombolo.store.wire;
