// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

/** What a {@link FaultyWire} has done to packets so far; plain fields, for its thread. */
public final class FaultCounters {
  FaultCounters() {}

  /** Packets that were to be sent. */
  public long offered;

  /** Bytes of them, headers of Ethernet, IP and UDP included. */
  public long bytesOffered;

  /** Packets that vanished. */
  public long lost;

  /** Packets that found the link's queue full. */
  public long dropped;

  /** Packets that arrive twice. */
  public long repeated;

  /** Times there was no room for a packet. */
  public long refused;
}
