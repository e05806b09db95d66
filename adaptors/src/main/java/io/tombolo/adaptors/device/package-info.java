// SPDX-License-Identifier: Apache-2.0
/**
 * Device runtimes behind {@link io.tombolo.adaptors.DeviceAdaptor}: the host itself, and every
 * vendor whose runtime a {@code DeviceDialect} row describes.
 *
 * <p>{@link io.tombolo.adaptors.device.HostStream} is the queue that CPU-only vendors run on.
 */
package io.tombolo.adaptors.device;
