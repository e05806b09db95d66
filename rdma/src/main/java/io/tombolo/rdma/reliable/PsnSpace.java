// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Packet sequence numbers: 64 bits inside, where they never wrap; 32 bits in packets and 21 in an
 * immediate, where they do.
 *
 * <p>A number on the wire means the one nearest to a number already known, so windows must stay
 * below half its space (RFC 1982). Immutable.
 */
class PsnSpace {
  /** Bits of a psn in a packet. */
  static final int PACKET_BITS = 32;

  /** Bits of a psn in an immediate. */
  static final int IMMEDIATE_BITS = 21;

  /** The number nearest to {@code reference} whose lowest {@code bits} bits are {@code wire}. */
  long unwrap(long reference, int wire, int bits) {
    int unused = Integer.SIZE - bits;
    int distance = ((wire - (int) reference) << unused) >> unused;
    return reference + distance;
  }
}
