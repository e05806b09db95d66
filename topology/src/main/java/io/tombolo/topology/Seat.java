// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

/**
 * A place for a rank.
 *
 * @param host index of the host in the topology
 * @param accelerator index of the accelerator in the host's machine
 */
public record Seat(int host, int accelerator) {}
