// SPDX-License-Identifier: Apache-2.0
/**
 * What people see: lines, one-line progress, tables and figures. Colours only on a terminal.
 *
 * <p>Start at {@link io.tombolo.cli.console.Console}.
 */
package io.tombolo.cli.console;
