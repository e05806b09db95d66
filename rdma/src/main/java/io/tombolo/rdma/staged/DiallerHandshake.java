// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.rdma.SlotGeometry;
import java.util.Arrays;

/** The side that dials: it knows whom it wants, and proves itself last. */
final class DiallerHandshake extends Handshake {
  private final Hello own;
  private final byte[] ownBytes;
  private boolean proved;

  DiallerHandshake(String fabric, JobToken token, Hello own) {
    super(fabric, token);
    this.own = own;
    this.ownBytes = own.encode(JobToken.nonce());
    say(ownBytes);
    expect(Hello.SIZE_BYTES + JobToken.SIZE_BYTES);
  }

  @Override
  void step(byte[] received) {
    byte[] helloBytes = Arrays.copyOf(received, Hello.SIZE_BYTES);
    byte[] proof = Arrays.copyOfRange(received, Hello.SIZE_BYTES, received.length);
    Hello hello = accept(Hello.decode(helloBytes), own.rank());
    verify(proof, "listener", ownBytes, helloBytes);
    if (hello.rank() != own.peer() || hello.channelId() != own.channelId()) {
      throw new MismatchException(
          "rank " + own.peer() + " was dialled and rank " + hello.rank() + " answered");
    }
    say(proof("dialler", ownBytes, helloBytes));
    expect(0);
    proved = true;
  }

  @Override
  boolean isDone() {
    return proved;
  }

  @Override
  SlotGeometry geometry() {
    return own.geometry().meet(peerHello().geometry());
  }
}
