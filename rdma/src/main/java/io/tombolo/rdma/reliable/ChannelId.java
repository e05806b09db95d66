// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Which channel a packet belongs to.
 *
 * @param peer the rank at the other end, for errors
 * @param flow 0 to 255, in every immediate
 * @param connection agreed anew for each connection, so that strays of an earlier one are refused
 */
public record ChannelId(int peer, int flow, int connection) {
  /** Checks the flow. */
  public ChannelId {
    if (flow < 0 || flow > 255) {
      throw new IllegalArgumentException("a flow is 0 to 255, not " + flow);
    }
  }
}
