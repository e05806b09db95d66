// SPDX-License-Identifier: Apache-2.0
/**
 * The vendors' collective libraries behind one seam.
 *
 * <p>Start at {@link io.tombolo.adaptors.ccl.CclDialect}, a row: where a vendor's library is found,
 * what its entry points and numbers are called, and what it is declared to do. {@link
 * io.tombolo.adaptors.ccl.DialectCcl#open} turns a row into a {@link
 * io.tombolo.adaptors.CclAdaptor}. The rows are in {@link io.tombolo.adaptors.ccl.CclDialects}.
 */
package io.tombolo.adaptors.ccl;
