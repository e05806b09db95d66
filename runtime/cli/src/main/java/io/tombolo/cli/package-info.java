// SPDX-License-Identifier: Apache-2.0
/**
 * The command line. A command is a class with picocli's annotations that implements {@link
 * io.tombolo.base.Command} and is found by {@link java.util.ServiceLoader}, in whatever module it
 * lives.
 *
 * <p>Start at {@link io.tombolo.cli.Main}.
 */
package io.tombolo.cli;
