// SPDX-License-Identifier: Apache-2.0
/**
 * Streams that must not hold each other up: our own on a device, and the callers' beside them.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.stream.OwnStreams}; {@link
 * io.tombolo.runtime.exec.stream.StreamProbe} finds out which callers' streams may be held.
 */
package io.tombolo.runtime.exec.stream;
