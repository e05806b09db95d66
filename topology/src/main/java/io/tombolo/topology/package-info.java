// SPDX-License-Identifier: Apache-2.0
/**
 * What is there, who belongs together, and which ranks speak for whom. Pure values and functions:
 * no I/O, no threads.
 *
 * <p>Start at {@link io.tombolo.topology.Survey}, which holds all decisions about a {@link
 * io.tombolo.topology.Topology}; a running job needs only {@link io.tombolo.topology.Clustering}.
 */
package io.tombolo.topology;
