// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo topo}: who is where, who belongs together, which way data goes.
 *
 * <p>Start at {@link io.tombolo.cli.topo.TopoCommand}.
 */
package io.tombolo.cli.topo;
