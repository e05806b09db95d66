// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.rdma.SlotGeometry;

/** The side that is dialled, by whom it does not know yet. */
final class ListenerHandshake extends Handshake {
  private final int rank;
  private final SlotGeometry geometry;
  private final boolean mayLeave;
  private byte[] diallerHello;
  private byte[] ownHello;
  private MismatchException refusal;
  private boolean proved;

  /**
   * The side of {@code rank}.
   *
   * @param mayLeave whether it may leave what the channel was to go by
   */
  ListenerHandshake(
      String fabric, JobToken token, int rank, SlotGeometry geometry, boolean mayLeave) {
    super(fabric, token);
    this.rank = rank;
    this.geometry = geometry;
    this.mayLeave = mayLeave;
    expect(Hello.SIZE_BYTES);
  }

  @Override
  void step(byte[] received) {
    if (diallerHello == null) {
      answer(received);
    } else {
      verify(received, "dialler", diallerHello, ownHello);
      say(new byte[] {WELCOME});
      expect(0);
      proved = true;
    }
  }

  private void answer(byte[] received) {
    Hello hello = Hello.decode(received);
    try {
      accept(hello, rank);
    } catch (MismatchException e) {
      refusal = e; // not before the dialler has our hello, by which it can tell the same
    }
    diallerHello = received;
    ownHello =
        Hello.of(rank, hello.rank(), hello.channelId(), geometry)
            .onTrial(mayLeave)
            .encode(JobToken.nonce());
    say(ownHello, proof("listener", diallerHello, ownHello));
    expect(JobToken.SIZE_BYTES);
  }

  @Override
  boolean isDone() {
    if (refusal != null) {
      throw refusal;
    }
    return proved;
  }

  @Override
  SlotGeometry geometry() {
    return geometry.meet(peerHello().geometry());
  }

  @Override
  boolean isOnTrial() {
    return mayLeave && peerHello().isOnTrial();
  }
}
