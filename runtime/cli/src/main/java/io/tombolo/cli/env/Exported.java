// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.env;

/**
 * One variable that is exported.
 *
 * @param name the variable
 * @param value its value
 * @param origin where the value is from: another variable, how it was derived, or who needs it
 */
record Exported(String name, String value, String origin) {}
