// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.JobToken;
import java.nio.ByteBuffer;

/** What the two ends prove to each other, and what both make of it. */
final class GreetingProofs {
  private static final String ROLE = "tombolo udp ";

  private final JobToken token;

  GreetingProofs(JobToken token) {
    this.token = token;
  }

  byte[] proof(String side, byte[] diallerHello, byte[] listenerHello) {
    return token.proof(ROLE + side, diallerHello, listenerHello);
  }

  boolean accepts(byte[] proof, String side, byte[] diallerHello, byte[] listenerHello) {
    return token.accepts(proof, ROLE + side, diallerHello, listenerHello);
  }

  /** The number of the connection: who does not hold the token cannot guess it. */
  int connection(byte[] diallerHello, byte[] listenerHello) {
    return ByteBuffer.wrap(proof("connection", diallerHello, listenerHello)).getInt();
  }
}
