// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

/**
 * Numbers of torch's TCPStore protocol (torch 2.13, TCPStoreBackend.hpp). All integers
 * little-endian.
 */
final class StoreProtocol {
  static final byte VALIDATE = 0;
  static final byte SET = 1;
  static final byte COMPARE_SET = 2;
  static final byte GET = 3;
  static final byte ADD = 4;
  static final byte CHECK = 5;
  static final byte WAIT = 6;
  static final byte NUM_KEYS = 7;
  static final byte DELETE = 8;
  static final byte APPEND = 9;
  static final byte MULTI_GET = 10;
  static final byte MULTI_SET = 11;
  static final byte CANCEL_WAIT = 12;
  static final byte PING = 13;
  static final byte QUEUE_PUSH = 14;
  static final byte QUEUE_POP = 15;
  static final byte QUEUE_LENGTH = 16;
  static final byte LIST_KEYS = 17;
  static final byte BARRIER = 18;

  /** Follows VALIDATE as the first bytes of a connection. */
  static final int VALIDATE_MAGIC = 0x3C85F7CE;

  /** Answers to CHECK. */
  static final byte READY = 0;

  static final byte NOT_READY = 1;

  /** Answers to WAIT, BARRIER and CANCEL_WAIT. */
  static final byte STOP_WAITING = 0;

  static final byte WAIT_CANCELED = 1;

  private StoreProtocol() {}

  /**
   * What a store of ours that has as many clients as it may answers to a client's first PING, to
   * say so: no store answers that otherwise.
   */
  static int full(int nonce) {
    return ~nonce;
  }
}
