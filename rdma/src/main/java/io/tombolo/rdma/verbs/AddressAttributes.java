// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * The way from a port to a peer's.
 *
 * @param port our port, counted from 1
 * @param sourceGid index of our GID
 * @param remoteGid the peer's
 * @param remoteLid the peer's local identifier; 0 on Ethernet
 * @param serviceLevel 0 to 15, which lane InfiniBand takes
 * @param trafficClass 0 to 255: on RoCE v2 the IP header's type of service
 * @param flowLabel 20 bits: on RoCE v2 it chooses the UDP source port, and so the path
 * @param global whether packets carry GIDs: always on Ethernet and EFA, between subnets on
 *     InfiniBand
 * @param ethernet whether our port is on Ethernet, where the kernel has to {@linkplain Resolution
 *     resolve} the peer's address
 */
record AddressAttributes(
    int port,
    int sourceGid,
    Gid remoteGid,
    int remoteLid,
    int serviceLevel,
    int trafficClass,
    int flowLabel,
    boolean global,
    boolean ethernet) {
  private static final int HOP_LIMIT = 64;

  /** The same, with packets that may be marked where a queue is long: ECT(0) of RFC 3168. */
  AddressAttributes withMarks() {
    return new AddressAttributes(
        port,
        sourceGid,
        remoteGid,
        remoteLid,
        serviceLevel,
        Marks.capable(trafficClass),
        flowLabel,
        global,
        ethernet);
  }

  /** As the C side reads them. */
  long[] numbers() {
    return new long[] {
      port, sourceGid, remoteLid, serviceLevel, flowLabel, global ? 1 : 0, trafficClass, HOP_LIMIT
    };
  }
}
