// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import java.util.Locale;

/**
 * What a fabric guarantees.
 *
 * @param reliable every byte arrives, or the channel fails
 * @param ordered messages of one channel arrive in the order sent
 * @param placesRemotely the sender's hardware writes into the receiver's memory
 * @param path how device memory travels, as reports name it
 * @param carrier what lies beneath: whether the guarantees above are the carrier's own
 */
public record FabricTraits(
    boolean reliable, boolean ordered, boolean placesRemotely, Path path, Carrier carrier) {

  /** A fabric over a carrier that loses nothing. */
  public FabricTraits(boolean reliable, boolean ordered, boolean placesRemotely, Path path) {
    this(reliable, ordered, placesRemotely, path, Carrier.LOSSLESS);
  }

  /** The ways of device memory; {@code DIRECT} is kept for dma-buf or peer-memory RDMA. */
  public enum Path {
    /** NIC to device memory and back, no host copy. */
    DIRECT,
    /** Through a segment of host memory that both processes map. */
    SHARED,
    /** Through host memory and a socket. */
    STAGED
  }

  /** What carries the packets. */
  public enum Carrier {
    /** Nothing gets lost: a stream, shared memory, a reliable connection of the NIC. */
    LOSSLESS,
    /** Packets get lost, repeated and reordered; Tombolo's own protocol mends it. */
    LOSSY_DATAGRAM,
    /** Remote writes get lost, repeated and reordered; Tombolo's own protocol mends it. */
    LOSSY_WRITES;

    /** As reports name it: {@code lossy, datagram}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace("_", ", ");
    }
  }
}
