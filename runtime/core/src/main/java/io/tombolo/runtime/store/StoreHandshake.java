// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How a client and a server of the store prove the job token to each other, before the first byte
 * of torch's protocol.
 *
 * <pre>
 *   client → server   "TMBL", version (1 byte), client nonce (32 bytes)
 *   server → client   server nonce (32), proof "store-server" (32)
 *   client → server   proof "store-client" (32)
 * </pre>
 *
 * <p>A proof is {@link JobToken#proof}: HMAC-SHA-256 over the role and both nonces. The server
 * proves first, so that a client tells a stranger nothing that depends on the token.
 */
final class StoreHandshake {
  static final int HELLO_BYTES = 4 + 1 + JobToken.SIZE_BYTES;
  static final int ANSWER_BYTES = 2 * JobToken.SIZE_BYTES;
  static final int PROOF_BYTES = JobToken.SIZE_BYTES;

  private static final int MAGIC = 0x4C424D54; // "TMBL", little-endian
  private static final byte VERSION = 1;
  private static final String SERVER = "store-server";
  private static final String CLIENT = "store-client";

  private StoreHandshake() {}

  static byte[] hello(byte[] clientNonce) {
    ByteBuffer out = ByteBuffer.allocate(HELLO_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return out.putInt(MAGIC).put(VERSION).put(clientNonce).array();
  }

  /** Refuses a stranger as soon as four bytes of {@code in}, a little-endian buffer, are there. */
  static void checkMagic(ByteBuffer in) {
    if (in.remaining() >= Integer.BYTES && in.getInt(in.position()) != MAGIC) {
      throw new CorruptException(
          "it did not begin with the handshake: not a process of this job, or a torch client on the"
              + " protected port");
    }
  }

  /** The client's nonce from its hello, {@link #HELLO_BYTES} that begin with the magic number. */
  static byte[] clientNonce(ByteBuffer hello) {
    hello.getInt();
    byte version = hello.get();
    if (version != VERSION) {
      throw new CorruptException("it speaks handshake version " + version + ", not " + VERSION);
    }
    return take(hello);
  }

  static byte[] answer(JobToken token, byte[] clientNonce, byte[] serverNonce) {
    byte[] proof = token.proof(SERVER, clientNonce, serverNonce);
    return ByteBuffer.allocate(ANSWER_BYTES).put(serverNonce).put(proof).array();
  }

  static boolean isServer(JobToken token, byte[] proof, byte[] clientNonce, byte[] serverNonce) {
    return token.accepts(proof, SERVER, clientNonce, serverNonce);
  }

  static byte[] clientProof(JobToken token, byte[] clientNonce, byte[] serverNonce) {
    return token.proof(CLIENT, clientNonce, serverNonce);
  }

  static boolean isClient(JobToken token, byte[] proof, byte[] clientNonce, byte[] serverNonce) {
    return token.accepts(proof, CLIENT, clientNonce, serverNonce);
  }

  /** The next nonce or proof in {@code in}. */
  static byte[] take(ByteBuffer in) {
    byte[] bytes = new byte[JobToken.SIZE_BYTES];
    in.get(bytes);
    return bytes;
  }
}
