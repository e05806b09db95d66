// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.nio.ByteBuffer;

/**
 * Told of each well-formed packet. Sequence numbers are raw, as the wire has them; buffers are only
 * valid during the call.
 */
interface Packet {
  /** Payload in a datagram, from {@code payloadIndex} of the packet on. */
  void onData(int psn, int attempt, int payloadIndex, int payloadBytes);

  /**
   * An acknowledgement of one who has received {@code marked} marks, modulo 256, and whose bitmap
   * is {@code words} words from {@code wordsIndex} on.
   */
  void onAck(
      int cumulative,
      int base,
      int echoPsn,
      int echoAttempt,
      int echoFlags,
      int ackDelayNs,
      byte marked,
      ByteBuffer packet,
      int words,
      int wordsIndex);

  /** A clear-to-send; number and first psn are the lowest 32 bits. */
  void onGrant(Grant raw, int attempt);

  /** Grants below {@code next}, and those {@code seen} names from there, have arrived. */
  void onGrantAck(int next, long seen, int echoNumber, int echoAttempt);

  /** The peer has messages for the clear-to-sends below {@code needed}. */
  void onRequest(int needed);

  /** The peer wants an acknowledgement as a sign of life. */
  void onPing();

  /** The peer has nothing more to send. */
  void onClose();

  /** The peer knows that we have nothing more to send. */
  void onCloseAck();

  /** The peer's end has failed or was given up; why, as {@link ResetReason} numbers it. */
  void onReset(int reason);
}
