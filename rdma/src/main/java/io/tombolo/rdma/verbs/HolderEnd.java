// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.CorruptException;
import java.util.Optional;

/**
 * The holder's end of the way to one reader: its NIC answers that reader's reads for as long as it
 * is open, and nobody calls anything. It is closed when the reader has gone; a reader who has shown
 * a key that holds no more needs another one. Used by one thread at a time.
 */
public final class HolderEnd implements AutoCloseable {
  private final ReadPair pair;
  private final GenerationCells cells;

  HolderEnd(NicPort nic, GenerationCells cells) {
    this.cells = cells;
    this.pair = new ReadPair(nic, Access.REMOTE_READ);
  }

  /** What the reader has to know; to be sent to it once {@link #connect} has returned. */
  public byte[] card() {
    return pair.card(Optional.of(cells)).encode();
  }

  /**
   * Connects to the reader who has sent {@code readersCard}, once.
   *
   * @throws CorruptException if that is no card
   * @throws io.tombolo.base.errors.UnavailableException if its port is on another network
   */
  public void connect(byte[] readersCard) {
    pair.connect(ReadCard.decode(readersCard));
  }

  /** Ends it: the reader's reads then fail within half a second. */
  @Override
  public void close() {
    pair.close();
  }
}
