// SPDX-License-Identifier: Apache-2.0
/**
 * What is in a host, as values: NUMA nodes, the PCI tree, accelerators, NICs, vendor links; and the
 * ways between them. Bandwidths are whole megabytes (10⁶ bytes) per second in one direction.
 *
 * <p>Start at {@link io.tombolo.topology.machine.Machine} and {@link
 * io.tombolo.topology.machine.Routes}.
 */
package io.tombolo.topology.machine;
