// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import com.google.common.primitives.Bytes;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ByteChannel;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * What both ends of a proved connection tell each other so that their UCX can meet; little-endian.
 *
 * <pre>
 *  0  u32  magic "TBLU"
 *  4  u16  version
 *  6  u16  n, bytes of the address, 1 to 4096
 *  8  u64  key that the other side has to put on its messages
 * 16       n bytes: the UCX address of this side
 * 16+n     seal of all that: HMAC-SHA-256 under the job's token
 * </pre>
 *
 * <p>UCX trusts the addresses it is given. The seal is checked before UCX sees one.
 */
final class UcxIntroduction {
  static final int MAX_ADDRESS_BYTES = 4096;

  private static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'U' << 24;
  private static final short VERSION = 1;
  private static final int HEAD_BYTES = 16;
  private static final String SEAL = "tombolo ucx introduction";

  private final JobToken token;
  private final ByteBuffer outgoing;
  private ByteBuffer incoming = ByteBuffer.allocate(HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private boolean headIsRead;
  private byte[] address;
  private long key;

  /** This side is at {@code address} and wants {@code key}. */
  UcxIntroduction(JobToken token, byte[] address, long key) {
    this.token = token;
    this.outgoing = ByteBuffer.wrap(encode(token, address, key));
  }

  /** What a side says of itself. */
  static byte[] encode(JobToken token, byte[] address, long key) {
    byte[] said =
        ByteBuffer.allocate(HEAD_BYTES + address.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(MAGIC)
            .putShort(VERSION)
            .putShort((short) address.length)
            .putLong(key)
            .put(address)
            .array();
    return Bytes.concat(said, token.seal(SEAL, said));
  }

  /** Goes on without blocking; whether both sides have said everything. */
  boolean progress(ByteChannel socket) throws IOException {
    while (outgoing.hasRemaining() && socket.write(outgoing) > 0) {}
    while (address == null && read(socket)) {
      if (headIsRead) {
        accept(incoming.array());
      } else {
        readHead();
      }
    }
    return address != null && !outgoing.hasRemaining();
  }

  /** Where the other side is, once all is said. */
  byte[] address() {
    return address.clone();
  }

  /** What the other side wants on messages for it, once all is said. */
  long key() {
    return key;
  }

  private boolean read(ByteChannel socket) throws IOException {
    if (socket.read(incoming) < 0) {
      throw new EOFException("the other side closed the connection before it had said its address");
    }
    return !incoming.hasRemaining();
  }

  private void readHead() {
    int length = Short.toUnsignedInt(incoming.getShort(6));
    boolean ours = incoming.getInt(0) == MAGIC && incoming.getShort(4) == VERSION;
    if (!ours || length == 0 || length > MAX_ADDRESS_BYTES) {
      throw new CorruptException(
          "the introduction of a UCX address starts with %08x version %s, for %s bytes: not ours"
              .formatted(incoming.getInt(0), incoming.getShort(4), length));
    }
    byte[] head = incoming.array();
    incoming =
        ByteBuffer.allocate(HEAD_BYTES + length + JobToken.SIZE_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(head);
    headIsRead = true;
  }

  private void accept(byte[] received) {
    byte[] said = Arrays.copyOf(received, received.length - JobToken.SIZE_BYTES);
    byte[] seal = Arrays.copyOfRange(received, said.length, received.length);
    if (!MessageDigest.isEqual(seal, token.seal(SEAL, said))) {
      throw new CorruptException("the introduction of a UCX address has been changed on its way");
    }
    key = incoming.getLong(8);
    address = Arrays.copyOfRange(said, HEAD_BYTES, said.length);
  }
}
