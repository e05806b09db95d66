// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Somebody who listens to a conversation and meddles with it, but cannot guess the number of its
 * connection: he says again what he hears as if it came over another, whole or spoiled, and noise.
 */
final class Stranger extends Mutant {
  private static final int MAX_DELAY_NS = 300_000;
  private static final int ONE_IN = 3;
  private static final int CONNECTION_AT = 8;

  private final SplittableRandom random;
  private final ProtocolParts parts;

  /** He meddles with what {@code script} says, of ends made of {@code parts}. */
  Stranger(Script script, ProtocolParts parts) {
    random = new SplittableRandom(script.seed());
    this.parts = parts;
  }

  @Override
  ProtocolParts parts() {
    return parts;
  }

  @Override
  PacketSender wire(SimulatedEndpoint endpoint) {
    return new PacketTamper(endpoint) {
      @Override
      public boolean sendControl(ByteBuffer packet) {
        meddle(packet, 0, endpoint);
        return super.sendControl(packet);
      }

      @Override
      public boolean sendDatagram(
          ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
        meddle(header, sizeBytes, endpoint);
        return super.sendDatagram(header, memory, offset, sizeBytes, cookie);
      }
    };
  }

  private void meddle(ByteBuffer head, int payloadBytes, SimulatedEndpoint victim) {
    if (random.nextInt(ONE_IN) > 0) {
      return;
    }
    byte[] words = new byte[head.remaining() + payloadBytes];
    random.nextBytes(words);
    head.duplicate().get(words, 0, head.remaining());
    victim.hearStranger(ofAnother(spoiled(words)), random.nextInt(MAX_DELAY_NS));
  }

  private byte[] spoiled(byte[] words) {
    switch (random.nextInt(4)) {
      case 0 -> words[random.nextInt(CONNECTION_AT)] ^= (byte) (1 << random.nextInt(8));
      case 1 -> words[random.nextInt(words.length)] ^= (byte) (1 << random.nextInt(8));
      case 2 -> {
        return Arrays.copyOf(words, random.nextInt(words.length));
      }
      default -> {} // as it is
    }
    return words;
  }

  /** The conversation's own is {@link SeededConversation#CONNECTION}. */
  private byte[] ofAnother(byte[] words) {
    if (words.length > CONNECTION_AT) {
      words[CONNECTION_AT] = (byte) (0x80 | random.nextInt(0x80));
    }
    return words;
  }
}
