// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

/**
 * What a simulated NIC holds.
 *
 * @param sendDepth payloads posted and not completed; a further one is refused for now
 * @param receiveDepth packets that wait for a process that does not have its turn; a further one is
 *     dropped, as datagrams and unreliable writes are that find no receive posted
 * @param completionDepth places of its completion queue, for payloads posted, completions and
 *     packets that the process has not taken. Payloads take half of them at most, so that receives
 *     are posted for the others; a packet that finds no place is dropped
 * @param inlineBytes payload that it reads when it is posted, not when it leaves
 * @param bindNs how long it binds a memory window; 0 where it has none, and memory is registered
 *     again, at once
 */
public record SimulatedNic(
    int sendDepth, int receiveDepth, int completionDepth, int inlineBytes, long bindNs) {
  /** One that holds all there is. */
  public static SimulatedNic ample() {
    return new SimulatedNic(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 0, 0);
  }
}
