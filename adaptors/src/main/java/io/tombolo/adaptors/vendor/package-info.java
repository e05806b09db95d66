// SPDX-License-Identifier: Apache-2.0
/**
 * Which vendors there are, each as a pair of rows.
 *
 * <p>Start at {@link io.tombolo.adaptors.vendor.BuiltInVendors}; other artefacts contribute theirs
 * as {@link io.tombolo.adaptors.vendor.DialectVendor}s, too.
 */
package io.tombolo.adaptors.vendor;
