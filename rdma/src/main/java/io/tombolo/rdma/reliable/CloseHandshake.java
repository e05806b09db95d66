// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * The orderly end of a channel.
 *
 * <pre>
 *        close()          all sends acknowledged        CLOSE_ACK and the peer's CLOSE
 *  OPEN ---------> DRAINING ---------------> CLOSING -------------------------> CLOSED
 *                                         CLOSE, repeated
 * </pre>
 *
 * <p>A side that has heard the peer's CLOSE and then only silence counts as closed: the peer had
 * everything and is gone.
 */
final class CloseHandshake {
  /** Where the channel is on its way. */
  enum State {
    OPEN,
    DRAINING,
    CLOSING,
    CLOSED
  }

  private final Wire wire;
  private State state = State.OPEN;
  private boolean peerClosed;
  private boolean peerKnows;
  private boolean answerDue;
  private int transmissions;
  private long sentNs;

  CloseHandshake(Wire wire) {
    this.wire = wire;
  }

  State state() {
    return state;
  }

  boolean isPeerClosed() {
    return peerClosed;
  }

  void close() {
    if (state == State.OPEN) {
      state = State.DRAINING;
    }
  }

  void onClose() {
    peerClosed = true;
    answerDue = true;
    closeIfBothKnow();
  }

  void onCloseAck() {
    peerKnows = true;
    closeIfBothKnow();
  }

  /** The peer has fallen silent; whether that is no failure. */
  boolean onSilence() {
    if (state != State.CLOSING || !peerClosed) {
      return state == State.CLOSED;
    }
    state = State.CLOSED;
    return true;
  }

  int poll(boolean sendsDone, long nowNs) {
    int sent = 0;
    if (answerDue && wire.sendBare(PacketCodec.CLOSE_ACK)) {
      answerDue = false;
      sent++;
    }
    if (state == State.DRAINING && sendsDone) {
      state = State.CLOSING;
      closeIfBothKnow();
    }
    if (state == State.CLOSING && !peerKnows && nowNs >= nextWakeNs()) {
      if (wire.sendBare(PacketCodec.CLOSE)) {
        transmissions++;
        sent++;
      }
      sentNs = nowNs;
    }
    return sent;
  }

  long nextWakeNs() {
    if (answerDue) {
      return Moment.NOW;
    }
    if (state != State.CLOSING || peerKnows) {
      return Moment.NEVER;
    }
    return transmissions == 0 ? Moment.NOW : sentNs + wire.rtt.rtoNs(transmissions);
  }

  private void closeIfBothKnow() {
    if (state == State.CLOSING && peerKnows && peerClosed) {
      state = State.CLOSED;
    }
  }
}
