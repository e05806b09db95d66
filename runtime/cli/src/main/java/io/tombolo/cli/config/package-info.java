// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo config}: the settings of a rank that is started here.
 *
 * <p>Start at {@link io.tombolo.cli.config.ConfigCommand}.
 */
package io.tombolo.cli.config;
