// SPDX-License-Identifier: Apache-2.0
/**
 * The reliable protocol for fabrics that lose, reorder, duplicate and delay: selective repeat with
 * time-based loss detection. No threads, no native code, no clock: time is passed in.
 *
 * <p>Start at {@link io.tombolo.rdma.reliable.ReliableChannel}, which ties a {@link
 * io.tombolo.rdma.reliable.SendFlow} and a {@link io.tombolo.rdma.reliable.ReceiveFlow} to a {@link
 * io.tombolo.rdma.reliable.PacketSender}. The wire format is in {@link
 * io.tombolo.rdma.reliable.PacketCodec}; docs/protocol.md tells the whole story.
 */
package io.tombolo.rdma.reliable;
