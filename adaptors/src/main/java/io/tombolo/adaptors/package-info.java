// SPDX-License-Identifier: Apache-2.0
/**
 * The vendors: a device runtime and a collective library each, behind two small seams.
 *
 * <p>Start at {@link io.tombolo.adaptors.Vendors}, which finds a {@link io.tombolo.adaptors.Vendor}
 * by name; it opens a {@link io.tombolo.adaptors.DeviceAdaptor} and a {@link
 * io.tombolo.adaptors.CclAdaptor}.
 */
package io.tombolo.adaptors;
