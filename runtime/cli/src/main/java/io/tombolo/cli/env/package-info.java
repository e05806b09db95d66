// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo env}: what a launcher said of this process, under the names that programs and
 * vendors' libraries look for.
 *
 * <p>Start at {@link io.tombolo.cli.env.EnvCommand}.
 */
package io.tombolo.cli.env;
