// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.rdma.SlotGeometry;
import java.util.Arrays;

/** The side that dials: it knows whom it wants, and proves itself last. */
final class DiallerHandshake extends Handshake {
  private final Hello own;
  private final byte[] ownBytes;
  private boolean answered;
  private boolean welcome;

  DiallerHandshake(String fabric, JobToken token, Hello own) {
    super(fabric, token);
    this.own = own;
    this.ownBytes = own.encode(JobToken.nonce());
    say(ownBytes);
    expect(Hello.SIZE_BYTES + JobToken.SIZE_BYTES);
  }

  @Override
  void step(byte[] received) {
    if (answered) {
      greet(received[0]);
    } else {
      prove(received);
    }
  }

  private void greet(byte word) {
    if (word != WELCOME) {
      throw new CorruptException("the listener's last word is " + word);
    }
    expect(0);
    welcome = true;
  }

  private void prove(byte[] received) {
    byte[] helloBytes = Arrays.copyOf(received, Hello.SIZE_BYTES);
    byte[] proof = Arrays.copyOfRange(received, Hello.SIZE_BYTES, received.length);
    Hello hello = accept(Hello.decode(helloBytes), own.rank());
    verify(proof, "listener", ownBytes, helloBytes);
    if (hello.rank() != own.peer() || hello.channelId() != own.channelId()) {
      throw new MismatchException(
          "rank "
              + own.peer()
              + " was dialled and rank "
              + hello.rank()
              + " answered; an earlier job may still be there, or two processes have one RANK: look"
              + " for them, and start the job again");
    }
    say(proof("dialler", ownBytes, helloBytes));
    expect(1);
    answered = true;
  }

  @Override
  boolean isDone() {
    return welcome;
  }

  @Override
  SlotGeometry geometry() {
    return own.geometry().meet(peerHello().geometry());
  }

  @Override
  boolean isOnTrial() {
    return own.isOnTrial() && peerHello().isOnTrial();
  }
}
