// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How a client and a volume prove a token to each other, before anything else.
 *
 * <pre>
 *   client → volume   "TMBV", version (1 byte), client nonce (32 bytes)
 *   volume → client   volume nonce (32), proof of "tombolo volume" (32)
 *   client → volume   proof of "tombolo volume client" (32)
 *   volume → client   {@link Welcome}
 * </pre>
 *
 * <p>The volume proves first, so that a client tells a stranger nothing that depends on the token.
 */
public final class VolumeGreeting {
  private static final int MAGIC = 0x56424D54; // "TMBV", little-endian
  private static final byte VERSION = 9;
  private static final String VOLUME = "tombolo volume";
  private static final String CLIENT = "tombolo volume client";
  private static final int SIZE = JobToken.SIZE_BYTES;

  private VolumeGreeting() {}

  /**
   * The client's part, on a new link.
   *
   * @throws MismatchException if the other side does not know the token
   */
  public static Welcome asClient(Link link, JobToken token) throws IOException {
    byte[] clientNonce = JobToken.nonce();
    ByteBuffer hello = ByteBuffer.allocate(Integer.BYTES + Byte.BYTES + SIZE);
    hello.order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).put(VERSION).put(clientNonce);
    link.send(hello.flip());
    byte[] volumeNonce = take(link);
    if (!token.accepts(take(link), VOLUME, clientNonce, volumeNonce)) {
      throw new MismatchException(
          "it does not know this process's token; give both the same TOMBOLO_TOKEN");
    }
    link.send(ByteBuffer.wrap(token.proof(CLIENT, clientNonce, volumeNonce)));
    return Welcome.decode(link.receiveFrame(WireBounds.REPLY_BYTES));
  }

  /**
   * The volume's part, up to the welcome.
   *
   * @throws CorruptException if the other side is no client of this version, or does not know the
   *     token
   */
  public static void asVolume(Link link, JobToken token) throws IOException {
    ByteBuffer hello = link.receive(Integer.BYTES + Byte.BYTES);
    if (hello.getInt() != MAGIC) {
      throw new CorruptException("it did not begin as a client of a volume does");
    }
    byte version = hello.get();
    if (version != VERSION) {
      throw new CorruptException(
          "it speaks version %s of the volumes' protocol, and this process version %s; give both the same Tombolo"
              .formatted(version, VERSION));
    }
    byte[] clientNonce = take(link);
    byte[] volumeNonce = JobToken.nonce();
    link.send(ByteBuffer.wrap(volumeNonce));
    link.send(ByteBuffer.wrap(token.proof(VOLUME, clientNonce, volumeNonce)));
    if (!token.accepts(take(link), CLIENT, clientNonce, volumeNonce)) {
      throw new CorruptException("it does not know the token");
    }
  }

  private static byte[] take(Link link) throws IOException {
    byte[] bytes = new byte[SIZE];
    link.receive(SIZE).get(bytes);
    return bytes;
  }
}
