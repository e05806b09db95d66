// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo trace}: what the flight recorders of a job's ranks say together.
 *
 * <p>Start at {@link io.tombolo.cli.trace.TraceCommand}; {@link io.tombolo.cli.trace.GroupTrace}
 * compares the ranks.
 */
package io.tombolo.cli.trace;
