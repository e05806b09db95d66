// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.rdma.reliable.ProtocolConfig.Shape;

/**
 * What a simulated NIC has, and how much of it.
 *
 * @param sendDepth payloads posted and not completed; a further one is refused for now
 * @param receiveDepth packets that wait for a process that does not have its turn; a further one is
 *     dropped, as datagrams and unreliable writes are that find no receive posted
 * @param completionDepth places of its completion queue, for payloads posted, completions and
 *     packets that the process has not taken. Payloads take half of them at most, so that receives
 *     are posted for the others; a packet that finds no place is dropped
 * @param inlineBytes payload that it reads when it is posted, not when it leaves
 * @param bindNs how long it binds a memory window; {@link #NO_WINDOWS} where it has none, and
 *     memory is registered again, at once
 * @param hasUc whether it has unreliable connections, which remote writes take; EFA and irdma have
 *     none, and send datagrams
 */
public record SimulatedNic(
    int sendDepth,
    int receiveDepth,
    int completionDepth,
    int inlineBytes,
    long bindNs,
    boolean hasUc) {
  /** The time to bind of a NIC without memory windows. */
  public static final long NO_WINDOWS = 0;

  /** One that has and holds all there is, but windows. */
  public static SimulatedNic ample() {
    return new SimulatedNic(
        Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 0, NO_WINDOWS, true);
  }

  /** What this NIC and {@code peer} both have: {@code uc} if possible, else {@code ud}. */
  public Shape shapeTo(SimulatedNic peer) {
    return hasUc && peer.hasUc ? Shape.PLACES_REMOTELY : Shape.DATAGRAM;
  }
}
