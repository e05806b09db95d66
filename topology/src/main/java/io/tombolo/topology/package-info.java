/**
 * What is there, who belongs together, and which ranks speak for whom. Pure values and functions:
 * no I/O, no threads.
 *
 * <p>Start at {@link io.tombolo.topology.Clustering}.
 */
package io.tombolo.topology;
