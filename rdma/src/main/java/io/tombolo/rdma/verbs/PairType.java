// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** The transports of a queue pair. */
enum PairType {
  /** Reliable connection: the hardware repeats what is lost, from there on (go-back-N). */
  RC(2),
  /** Unreliable connection: remote writes, and what is lost stays lost. */
  UC(3),
  /** Unreliable datagram: one packet to anyone. */
  UD(4);

  private final int number;

  PairType(int number) {
    this.number = number;
  }

  /** As the library numbers them. */
  int number() {
    return number;
  }
}
