// SPDX-License-Identifier: Apache-2.0
/**
 * Device runtimes behind {@link io.tombolo.adaptors.DeviceAdaptor}: the host itself, and every
 * vendor whose runtime a row describes.
 *
 * <p>Start at {@link io.tombolo.adaptors.device.DeviceDialect}, which is such a row; {@link
 * io.tombolo.adaptors.device.DeviceRuntime} opens devices by it. {@link
 * io.tombolo.adaptors.device.HostStream} is the queue that CPU-only vendors run on.
 */
package io.tombolo.adaptors.device;
