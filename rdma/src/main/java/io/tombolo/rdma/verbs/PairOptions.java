// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * How a connected pair talks to its peer.
 *
 * @param mtu path MTU as the library numbers it, the lesser of both ends' ports
 * @param remoteNumber the peer's queue pair
 * @param receivePsn the first packet number the peer uses
 * @param sendPsn the first packet number used here
 */
record PairOptions(int mtu, int remoteNumber, int receivePsn, int sendPsn) {
  /** RC: 4.096 µs · 2^14 = 67 ms until a repeat, 7 of them: half a second until a peer is gone. */
  private static final int TIMEOUT = 14;

  private static final int RETRIES = 7;

  /** RC: a receiver without an entry is asked again for ever; credits make that rare. */
  private static final int RNR_RETRIES = 7;

  /** RC: 0.64 ms between such questions. */
  private static final int MIN_RNR_TIMER = 12;

  private static final int READS = 1;

  /** As the C side reads them. */
  long[] numbers() {
    return new long[] {
      mtu, remoteNumber, receivePsn, sendPsn, TIMEOUT, RETRIES, RNR_RETRIES, MIN_RNR_TIMER, READS
    };
  }
}
