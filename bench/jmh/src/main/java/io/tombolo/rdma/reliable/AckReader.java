// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.nio.ByteBuffer;
import org.openjdk.jmh.infra.Blackhole;

/** Looks at every packet that an acknowledgement names; expects nothing else. */
record AckReader(Blackhole blackhole) implements Packet, SackCodec.Arrivals {
  @Override
  public void onAck(
      int cumulative,
      int base,
      int echoPsn,
      int echoAttempt,
      int echoFlags,
      int ackDelayNs,
      byte marked,
      ByteBuffer packet,
      int words,
      int wordsIndex) {
    SackCodec.decode(base, words, packet, wordsIndex, this);
  }

  @Override
  public void onArrived(long psn) {
    blackhole.consume(psn);
  }

  @Override
  public void onData(int psn, int attempt, int payloadIndex, int payloadBytes) {
    throw unexpected();
  }

  @Override
  public void onGrant(Grant raw, int attempt) {
    throw unexpected();
  }

  @Override
  public void onGrantAck(int next, long seen, int echoNumber, int echoAttempt) {
    throw unexpected();
  }

  @Override
  public void onRequest(int needed) {
    throw unexpected();
  }

  @Override
  public void onPing() {
    throw unexpected();
  }

  @Override
  public void onClose() {
    throw unexpected();
  }

  @Override
  public void onCloseAck() {
    throw unexpected();
  }

  @Override
  public void onReset(int reason) {
    throw unexpected();
  }

  private static IllegalStateException unexpected() {
    return new IllegalStateException("the packet was an acknowledgement");
  }
}
