// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

/**
 * What a process has sent and received over UDP so far; read by the agent's thread, printed by
 * tools. Plain fields: a counter costs an addition, nothing else.
 */
public final class UdpCounters {
  UdpCounters() {}

  /** Datagrams handed to the kernel. */
  public long packetsSent;

  /** Bytes of them, without headers of UDP and IP. */
  public long bytesSent;

  /** System calls that sent them. */
  public long sendCalls;

  /** Datagrams taken from the kernel. */
  public long packetsReceived;

  /** Bytes of them. */
  public long bytesReceived;

  /** Datagrams of peers' that came with the mark of a long queue (ECN). */
  public long marked;

  /** Connections whose path takes no packets that may be marked. */
  public long unmarkable;

  /** Datagrams the kernel refused for good: no route, too long for the path. */
  public long unsendable;

  /** Datagrams of nobody we know, or of a connection that is over: dropped. */
  public long strangers;

  /** Handshakes that were not believed. */
  public long refused;

  /** Times a chunk waited because all slots to send from were taken. */
  public long slotsExhausted;

  /** Rounds without a slot to receive into, because devices were still copying out of all. */
  public long receiveStalls;

  /** Times this process did not run for longer than it should, so that its own timers lied. */
  public long stalls;

  /** Memory of slots, in bytes. */
  public long slabBytes;
}
