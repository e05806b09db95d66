// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

/**
 * What a simulated NIC holds.
 *
 * @param sendDepth payloads posted and not completed; a further one is refused for now
 * @param receiveDepth packets that wait for a process that does not have its turn; a further one is
 *     dropped, as datagrams and unreliable writes are that find no receive posted
 * @param inlineBytes payload that it reads when it is posted, not when it leaves
 */
public record SimulatedNic(int sendDepth, int receiveDepth, int inlineBytes) {
  /** One that holds all there is. */
  public static SimulatedNic ample() {
    return new SimulatedNic(Integer.MAX_VALUE, Integer.MAX_VALUE, 0);
  }
}
