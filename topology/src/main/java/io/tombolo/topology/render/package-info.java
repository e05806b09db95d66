// SPDX-License-Identifier: Apache-2.0
/**
 * Topologies for people and other programs: text, XML, DOT, Mermaid, SVG, HTML. Pure functions from
 * a {@link io.tombolo.topology.Survey} to text.
 *
 * <p>Start at {@link io.tombolo.topology.render.Format}.
 */
package io.tombolo.topology.render;
