// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.Channel;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A user of one end: sends and expects its messages, gives each byte a value known to both sides,
 * overwrites memory the moment it gets it back, and looks at all of it again in the end.
 */
final class Person implements Channel.Completions, AutoCloseable {
  private static final byte USED = (byte) 0xEE;
  private static final byte[] NOISE = noise();

  private final int[] sending;
  private final int[] receiving;
  private final long[] sendOffsets;
  private final long[] receiveOffsets;
  private final long salt;
  private final long otherSalt;
  private final SimulatedMemory source;
  private final SimulatedMemory sink;
  private int queuedSends;
  private int queuedReceives;
  private int sent;
  private int received;
  private String complaint;
  private boolean gone;

  Person(int[] sending, int[] receiving, int side) {
    this.sending = sending;
    this.receiving = receiving;
    salt = side * 10_000L;
    otherSalt = (1 - side) * 10_000L;
    sendOffsets = offsets(sending);
    receiveOffsets = offsets(receiving);
    source = new SimulatedMemory(sendOffsets[sending.length] + 1);
    sink = new SimulatedMemory(receiveOffsets[receiving.length] + 1);
    for (int i = 0; i < sending.length; i++) {
      source.bytes().put(sendOffsets[i], NOISE, from(salt, i), sending[i]);
    }
  }

  private static byte[] noise() {
    byte[] bytes = new byte[1 << 18];
    new SplittableRandom(1).nextBytes(bytes);
    return bytes;
  }

  private static int from(long salt, int message) {
    return (int) (salt + message * 997L);
  }

  /** Where each message begins, and where the last one ends. */
  private static long[] offsets(int[] sizes) {
    long[] offsets = new long[sizes.length + 1];
    for (int i = 0; i < sizes.length; i++) {
      offsets[i + 1] = offsets[i] + sizes[i];
    }
    return offsets;
  }

  /** Hands over as much as the channel takes; whether that was anything. */
  boolean converse(ReliableChannel channel) {
    int before = queuedReceives + queuedSends;
    while (queuedReceives < receiving.length
        && channel.receive(
            queuedReceives, sink, receiveOffsets[queuedReceives], receiving[queuedReceives])) {
      queuedReceives++;
    }
    while (queuedSends < sending.length
        && channel.send(queuedSends, source, sendOffsets[queuedSends], sending[queuedSends])) {
      queuedSends++;
    }
    return queuedReceives + queuedSends > before;
  }

  /** Leaves in the middle of it, and uses the memory of receives for something else. */
  void leave() {
    gone = true;
    use(sink, 0, (int) receiveOffsets[receiving.length]);
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    if (gone) {
      return;
    }
    complainUnless(tag == sent && sizeBytes == sending[sent], "send completed out of turn: " + tag);
    sent++;
    use(source, sendOffsets[(int) tag], (int) sizeBytes);
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    if (gone) {
      return;
    }
    boolean inTurn = tag == received && sizeBytes == receiving[received];
    complainUnless(inTurn, "receive completed out of turn: " + tag);
    received++;
    long offset = receiveOffsets[(int) tag];
    byte[] bytes = sink.bytes().get(offset, (int) sizeBytes);
    int from = from(otherSalt, (int) tag);
    int wrong = Arrays.mismatch(bytes, 0, bytes.length, NOISE, from, from + bytes.length);
    complainUnless(wrong < 0, "message " + tag + " differs at byte " + wrong);
    use(sink, offset, (int) sizeBytes);
  }

  private static void use(SimulatedMemory memory, long offset, int sizeBytes) {
    byte[] bytes = new byte[sizeBytes];
    Arrays.fill(bytes, USED);
    memory.bytes().put(offset, bytes, 0, sizeBytes);
  }

  boolean isDone() {
    return sent == sending.length && received == receiving.length;
  }

  /** What went wrong, or null. */
  String complaint() {
    return complaint;
  }

  /** Looks at everything that came back once more: nothing may have touched it since. */
  void lookAgain() {
    lookAgainAtReceives();
    lookAgain(source, (int) sendOffsets[sending.length]);
  }

  void lookAgainAtReceives() {
    lookAgain(sink, (int) receiveOffsets[receiving.length]);
  }

  private void lookAgain(SimulatedMemory memory, int sizeBytes) {
    boolean touched = false;
    for (byte b : memory.bytes().get(0, sizeBytes)) {
      touched |= b != USED;
    }
    complainUnless(!touched, "memory was touched after it went back");
  }

  private void complainUnless(boolean fine, String otherwise) {
    if (!fine && complaint == null) {
      complaint = otherwise;
    }
  }

  @Override
  public void close() {
    source.close();
    sink.close();
  }

  @Override
  public String toString() {
    return "sent "
        + sent
        + " of "
        + sending.length
        + ", received "
        + received
        + " of "
        + receiving.length;
  }
}
