// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.JobToken;
import io.tombolo.rdma.staged.Hello;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The packets of the handshake.
 *
 * <pre>
 *   0  hello of the side that speaks        64 bytes, as tcp and shm have it
 *  64  type                                  u8: 1 HELLO, 2 ANSWER, 3 PROOF, 4 WELCOME
 *  65  zeros                                 7 bytes
 *  72  proof                                32 bytes, not in HELLO
 * 104  nonce of the dialler                 32 bytes, in ANSWER
 * 136  zeros                                 HELLO and ANSWER are as long as the longest packet to come
 * </pre>
 *
 * <pre>
 * dialler  -> HELLO                 a stranger's; answered without remembering anything
 * listener -> ANSWER + proof        no longer than the HELLO was: no amplifier
 * dialler  -> PROOF + proof         now the listener remembers
 * listener -> WELCOME + proof       repeated for each PROOF that comes again
 * </pre>
 *
 * <p>A proof covers both hellos. The length of HELLO and ANSWER shows that the path carries packets
 * of that size both ways.
 *
 * @param type one of the four
 * @param hello the 64 bytes
 * @param proof 32 bytes
 * @param echo 32 bytes
 * @param sizeBytes of the whole packet
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; arrays are what the proofs are made of
record Greeting(byte type, byte[] hello, byte[] proof, byte[] echo, int sizeBytes) {
  static final byte HELLO = 1;
  static final byte ANSWER = 2;
  static final byte PROOF = 3;
  static final byte WELCOME = 4;

  static final int SIZE_BYTES = 136;

  private static final int NONCE_AT = 32;
  private static final int TYPE_AT = 64;
  private static final int PROOF_AT = 72;
  private static final int ECHO_AT = 104;

  /** Whether {@code packet} claims to be one: a cheap look before the dear one. */
  static boolean isOne(ByteBuffer packet) {
    return packet.remaining() >= SIZE_BYTES && packet.getInt(packet.position()) == Hello.MAGIC;
  }

  static Greeting read(ByteBuffer packet) {
    int at = packet.position();
    return new Greeting(
        packet.get(at + TYPE_AT),
        bytes(packet, at, Hello.SIZE_BYTES),
        bytes(packet, at + PROOF_AT, JobToken.SIZE_BYTES),
        bytes(packet, at + ECHO_AT, JobToken.SIZE_BYTES),
        packet.remaining());
  }

  private static byte[] bytes(ByteBuffer packet, int at, int length) {
    byte[] bytes = new byte[length];
    packet.get(at, bytes);
    return bytes;
  }

  /** The first packet of a dialler, {@code sizeBytes} long. */
  static Greeting hello(byte[] hello, int sizeBytes) {
    return new Greeting(HELLO, hello, new byte[0], new byte[0], Math.max(SIZE_BYTES, sizeBytes));
  }

  /** What a listener says to {@code dialler}. */
  static Greeting answer(byte[] hello, byte[] proof, Greeting dialler, int sizeBytes) {
    int size = Math.max(SIZE_BYTES, Math.min(sizeBytes, dialler.sizeBytes));
    return new Greeting(ANSWER, hello, proof, dialler.nonce(), size);
  }

  /** A packet of {@code type} that is only words. */
  static Greeting of(byte type, byte[] hello, byte[] proof) {
    return new Greeting(type, hello, proof, new byte[0], SIZE_BYTES);
  }

  /** What makes a hello different from every other. */
  byte[] nonce() {
    return Arrays.copyOfRange(hello, NONCE_AT, NONCE_AT + JobToken.SIZE_BYTES);
  }

  ByteBuffer toPacket() {
    ByteBuffer packet = ByteBuffer.allocate(sizeBytes);
    packet.put(0, hello).put(TYPE_AT, type).put(PROOF_AT, proof).put(ECHO_AT, echo);
    return packet;
  }
}
