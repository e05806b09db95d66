// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * What to say where two ports have met through sockets, and no packet of one is answered by the
 * other: something between them lets TCP through, and not what their queue pairs send.
 */
final class NoAnswer {
  private NoAnswer() {}

  /**
   * Of packets from {@code ours} to {@code peers} port.
   *
   * @param heard whether packets of the peer's come here nevertheless
   */
  static String text(NicPort ours, PortCard peers, boolean heard) {
    String what =
        heard
            ? "the peer's packets come, and none of ours is answered"
            : "nothing comes through them, though TCP does";
    return "its queue pairs are connected, and "
        + what
        + ": "
        + dropped(peers)
        + ", or the peer's process stands still; look at "
        + suspects(peers)
        + " (from "
        + ours
        + " to "
        + peers
        + ")";
  }

  /**
   * Of a request that a NIC has repeated in vain, to {@code peers} port: the NIC there answers by
   * itself, also for a process that stands still.
   */
  static String ofRepeats(PortCard peers) {
    return "the peer's NIC has answered none of the repeats: its process or its host is gone, or "
        + dropped(peers)
        + "; look at its output, at the cable and the switch, at "
        + suspects(peers);
  }

  private static String dropped(PortCard port) {
    return switch (port.link()) {
      case INFINIBAND -> "packets are dropped on the way";
      case UNSPECIFIED -> "packets are dropped between the two hosts";
      case ETHERNET, OTHER -> roce(port.gid()) + " are dropped between the two hosts";
    };
  }

  private static String suspects(PortCard port) {
    return switch (port.link()) {
      case INFINIBAND ->
          "the partitions (the setting rdma_pkey_index), at the subnet manager's routes and at the"
              + " path MTU";
      case UNSPECIFIED -> "the security groups, which must let all traffic of EFAs through";
      case ETHERNET, OTHER ->
          "the firewalls there and between, at the GIDs (the setting rdma_gid_index), at VLANs and"
              + " at the path MTU";
    };
  }

  private static String roce(Gid gid) {
    return gid.type() == Gid.Type.ROCE_V2
        ? "packets of RoCE v2 (UDP, port 4791)"
        : "packets of RoCE v1 (Ethernet type 0x8915, which no router passes on)";
  }
}
