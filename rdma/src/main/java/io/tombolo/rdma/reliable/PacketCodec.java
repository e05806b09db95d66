// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The packets of the protocol: little-endian, fixed layout, one header for all.
 *
 * <pre>
 *  0        4     5     6     7       8            12           16
 *  +--------+-----+-----+-----+-------+------------+------------+
 *  | magic  | ver | typ | flw | attmpt| connection | body bytes |    every packet
 *  +--------+-----+-----+-----+-------+------------+------------+
 *
 *  16         20
 *  +----------+------------------+
 *  |   psn    |  payload ...     |                                   DATA
 *  +----------+------------------+
 *
 *  16         20         24         28       29    30     31  32          36
 *  +----------+----------+----------+--------+-----+------+---+-----------+-----------------+
 *  |cumulative|  base    | echo psn | echo   |flags|words | 0 | ack delay | words x 8 bytes |  ACK
 *  |          |          |          | attempt|     |(0-4) |   |    ns     |  (SackCodec)    |
 *  +----------+----------+----------+--------+-----+------+---+-----------+-----------------+
 *
 *  16      20         24          28          32              40          48
 *  +-------+----------+-----------+-----------+---------------+-----------+
 *  | number| first psn| generation| remote key| remote address| size bytes|      GRANT (CTS)
 *  +-------+----------+-----------+-----------+---------------+-----------+
 *  48               56              64     72
 *  +----------------+---------------+------+
 *  | message offset | message bytes | tag  |
 *  +----------------+---------------+------+
 *
 *  16      20           28            32
 *  +-------+------------+-------------+
 *  | next  | seen (bits)| echo number |                              GRANT_ACK
 *  +-------+------------+-------------+
 *
 *  16       20
 *  +--------+
 *  | reason |                                                         RESET
 *  +--------+
 *
 *  16       20
 *  +--------+
 *  | needed |                                                         REQUEST
 *  +--------+
 *
 *  PING, CLOSE and CLOSE_ACK have no body.
 * </pre>
 *
 * <p>Magic is the bytes {@code TOMB}. Echo flags: 1 the echo is a new arrival, 2 that arrival was a
 * duplicate. Stateless; anything malformed is refused by returning false, never by an exception.
 */
final class PacketCodec {
  static final byte VERSION = 1;
  static final int HEADER_BYTES = 16;
  static final int DATA_HEADER_BYTES = HEADER_BYTES + 4;

  /** The largest packet without payload. */
  static final int MAX_CONTROL_BYTES = 72;

  /** The echo is news. */
  static final int ECHO_FRESH = 1;

  /** The echoed arrival was a duplicate (D-SACK, RFC 2883). */
  static final int ECHO_DUPLICATE = 2;

  static final byte DATA = 1;
  static final byte ACK = 2;
  static final byte GRANT = 3;
  static final byte GRANT_ACK = 4;
  static final byte PING = 5;
  static final byte CLOSE = 6;
  static final byte CLOSE_ACK = 7;
  static final byte RESET = 8;
  static final byte REQUEST = 9;

  private static final int MAGIC = 'T' | 'O' << 8 | 'M' << 16 | 'B' << 24;
  private static final int ACK_FIXED_BYTES = 20;
  private static final int GRANT_BYTES = 56;
  private static final int GRANT_ACK_BYTES = 16;

  private PacketCodec() {}

  /** A buffer for the packets of one flow of one connection. */
  static ByteBuffer newBuffer(int sizeBytes) {
    return ByteBuffer.allocateDirect(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Writes the header of a datagram whose payload follows elsewhere. */
  static ByteBuffer data(ByteBuffer to, ChannelId id, int attempt, long psn, int payloadBytes) {
    start(to, id, DATA, attempt, Integer.BYTES + payloadBytes);
    return to.putInt((int) psn).flip();
  }

  static ByteBuffer ack(
      ByteBuffer to, ChannelId id, ReceiveWindow window, AckScheduler echo, long nowNs) {
    long base = SackCodec.base(window, echo.newestPsn());
    int words = SackCodec.wordCount(window, base);
    start(to, id, ACK, 0, ACK_FIXED_BYTES + words * Long.BYTES);
    to.putInt((int) window.next()).putInt((int) base).putInt((int) echo.newestPsn());
    to.put((byte) echo.newestAttempt()).put((byte) echo.echoFlags());
    to.put((byte) words).put((byte) echo.marked());
    to.putInt((int) Math.min(Integer.MAX_VALUE, echo.heldBackNs(nowNs)));
    SackCodec.encode(window, base, words, to, to.position());
    return to.position(to.position() + words * Long.BYTES).flip();
  }

  static ByteBuffer grant(ByteBuffer to, ChannelId id, Grant grant, int attempt) {
    start(to, id, GRANT, attempt, GRANT_BYTES);
    to.putInt((int) grant.number).putInt((int) grant.firstPsn).putInt(grant.generation);
    to.putInt(grant.remoteKey).putLong(grant.remoteAddress).putLong(grant.sizeBytes);
    return to.putLong(grant.messageOffset).putLong(grant.messageBytes).putLong(grant.tag).flip();
  }

  static ByteBuffer grantAck(
      ByteBuffer to, ChannelId id, long next, long seen, long echoNumber, int echoAttempt) {
    start(to, id, GRANT_ACK, echoAttempt, GRANT_ACK_BYTES);
    return to.putInt((int) next).putLong(seen).putInt((int) echoNumber).flip();
  }

  /** The clear-to-sends below {@code needed} are what the sender's messages take. */
  static ByteBuffer request(ByteBuffer to, ChannelId id, long needed) {
    start(to, id, REQUEST, 0, Integer.BYTES);
    return to.putInt((int) needed).flip();
  }

  /** A packet that is only a header. */
  static ByteBuffer bare(ByteBuffer to, ChannelId id, byte type) {
    start(to, id, type, 0, 0);
    return to.flip();
  }

  static ByteBuffer reset(ByteBuffer to, ChannelId id, int reason) {
    start(to, id, RESET, 0, Integer.BYTES);
    return to.putInt(reason).flip();
  }

  /** Reads the packet from position to limit; false if it is none of ours or malformed. */
  static boolean decode(ByteBuffer packet, ChannelId id, Grant scratch, Packet handler) {
    int at = packet.position();
    if (packet.remaining() < HEADER_BYTES
        || packet.getInt(at) != MAGIC
        || packet.get(at + 4) != VERSION
        || Byte.toUnsignedInt(packet.get(at + 6)) != id.flow()
        || packet.getInt(at + 8) != id.connection()
        || packet.getInt(at + 12) != packet.remaining() - HEADER_BYTES) {
      return false;
    }
    int attempt = packet.get(at + 7) & (Immediate.ATTEMPTS - 1);
    int bodyBytes = packet.getInt(at + 12);
    int body = at + HEADER_BYTES;
    return switch (packet.get(at + 5)) {
      case DATA -> readData(packet, body, bodyBytes, attempt, handler);
      case ACK -> readAck(packet, body, bodyBytes, handler);
      case GRANT -> readGrant(packet, body, bodyBytes, attempt, scratch, handler);
      case GRANT_ACK -> readGrantAck(packet, body, bodyBytes, attempt, handler);
      case RESET -> readReset(packet, body, bodyBytes, handler);
      case REQUEST -> readRequest(packet, body, bodyBytes, handler);
      case PING, CLOSE, CLOSE_ACK -> readBare(packet.get(at + 5), bodyBytes, handler);
      default -> false;
    };
  }

  private static boolean readData(
      ByteBuffer packet, int body, int bodyBytes, int attempt, Packet handler) {
    if (bodyBytes < Integer.BYTES) {
      return false;
    }
    handler.onData(packet.getInt(body), attempt, body + Integer.BYTES, bodyBytes - Integer.BYTES);
    return true;
  }

  private static boolean readAck(ByteBuffer packet, int body, int bodyBytes, Packet handler) {
    if (bodyBytes < ACK_FIXED_BYTES) {
      return false;
    }
    int words = packet.get(body + 14);
    int delayNs = packet.getInt(body + 16);
    if (words < 0
        || words > SackCodec.MAX_WORDS
        || delayNs < 0
        || bodyBytes != ACK_FIXED_BYTES + words * Long.BYTES) {
      return false;
    }
    handler.onAck(
        packet.getInt(body),
        packet.getInt(body + 4),
        packet.getInt(body + 8),
        packet.get(body + 12),
        packet.get(body + 13),
        delayNs,
        packet.get(body + 15),
        packet,
        words,
        body + ACK_FIXED_BYTES);
    return true;
  }

  private static boolean readGrant(
      ByteBuffer packet, int body, int bodyBytes, int attempt, Grant grant, Packet handler) {
    if (bodyBytes != GRANT_BYTES) {
      return false;
    }
    grant.number = packet.getInt(body);
    grant.firstPsn = packet.getInt(body + 4);
    grant.generation = packet.getInt(body + 8);
    grant.remoteKey = packet.getInt(body + 12);
    grant.remoteAddress = packet.getLong(body + 16);
    grant.sizeBytes = packet.getLong(body + 24);
    grant.messageOffset = packet.getLong(body + 32);
    grant.messageBytes = packet.getLong(body + 40);
    grant.tag = packet.getLong(body + 48);
    if (!isSound(grant)) {
      return false;
    }
    handler.onGrant(grant, attempt);
    return true;
  }

  private static boolean isSound(Grant grant) {
    return grant.sizeBytes >= 0
        && grant.messageOffset >= 0
        && grant.messageBytes >= grant.sizeBytes
        && grant.messageOffset <= grant.messageBytes - grant.sizeBytes;
  }

  private static boolean readGrantAck(
      ByteBuffer packet, int body, int bodyBytes, int attempt, Packet handler) {
    if (bodyBytes != GRANT_ACK_BYTES) {
      return false;
    }
    handler.onGrantAck(
        packet.getInt(body), packet.getLong(body + 4), packet.getInt(body + 12), attempt);
    return true;
  }

  /** Whether {@code packet} has a header of ours, whoever it is for. */
  static boolean isAddressed(ByteBuffer packet) {
    return packet.remaining() >= HEADER_BYTES && packet.getInt(packet.position()) == MAGIC;
  }

  static int connection(ByteBuffer packet) {
    return packet.getInt(packet.position() + 8);
  }

  /** Whether {@code packet} is a reset, sound or not. */
  static boolean isReset(ByteBuffer packet) {
    return packet.remaining() >= HEADER_BYTES && packet.get(packet.position() + 5) == RESET;
  }

  private static boolean readReset(ByteBuffer packet, int body, int bodyBytes, Packet handler) {
    if (bodyBytes != Integer.BYTES) {
      return false;
    }
    handler.onReset(packet.getInt(body));
    return true;
  }

  private static boolean readRequest(ByteBuffer packet, int body, int bodyBytes, Packet handler) {
    if (bodyBytes != Integer.BYTES) {
      return false;
    }
    handler.onRequest(packet.getInt(body));
    return true;
  }

  private static boolean readBare(byte type, int bodyBytes, Packet handler) {
    if (bodyBytes != 0) {
      return false;
    }
    switch (type) {
      case PING -> handler.onPing();
      case CLOSE -> handler.onClose();
      default -> handler.onCloseAck();
    }
    return true;
  }

  private static void start(ByteBuffer to, ChannelId id, byte type, int attempt, int bodyBytes) {
    to.clear();
    to.putInt(MAGIC).put(VERSION).put(type).put((byte) id.flow());
    to.put((byte) (attempt & (Immediate.ATTEMPTS - 1))).putInt(id.connection()).putInt(bodyBytes);
  }
}
