// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks on different hosts through UDP: datagrams get lost, and {@link io.tombolo.rdma.reliable}
 * mends it.
 *
 * <p>Start at {@link io.tombolo.rdma.udp.UdpFabric}. One socket serves all channels, in batches:
 * {@link io.tombolo.rdma.udp.UdpTransmitter} and {@link io.tombolo.rdma.udp.UdpReceiver}; how two
 * ends get to know each other is in {@link io.tombolo.rdma.udp.Greeting}.
 */
package io.tombolo.rdma.udp;
