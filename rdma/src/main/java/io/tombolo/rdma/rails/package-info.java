// SPDX-License-Identifier: Apache-2.0
/**
 * Channels over several rails at once: fabrics of one kind, each over a NIC of its own. Start at
 * {@link io.tombolo.rdma.rails.RailsFabric}.
 */
package io.tombolo.rdma.rails;
