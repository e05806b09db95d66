// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

/**
 * A part of a host's memory and the CPUs next to it.
 *
 * @param id the kernel's number
 * @param socket the package its CPUs are in, or -1 if unknown
 * @param cpus its logical CPUs
 * @param memoryBytes its memory; 0 if unknown
 */
public record NumaNode(int id, int socket, CpuSet cpus, long memoryBytes) {}
