package io.tombolo.rdma;

/**
 * What a fabric guarantees.
 *
 * @param reliable every byte arrives, or the channel fails
 * @param ordered messages of one channel arrive in the order sent
 * @param placesRemotely the sender's hardware writes into the receiver's memory
 * @param path how device memory travels, as reports name it
 */
public record FabricTraits(boolean reliable, boolean ordered, boolean placesRemotely, Path path) {

  /** The ways of device memory; {@code DIRECT} is kept for dma-buf or peer-memory RDMA. */
  public enum Path {
    /** NIC to device memory and back, no host copy. */
    DIRECT,
    /** One pinned segment both devices' DMA engines reach. */
    PINNED,
    /** Through host memory and a socket. */
    STAGED
  }
}
