package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the two ends of a channel tell each other, through the socket that they proved themselves
 * on, before they connect their queue pairs: 64 bytes, little-endian.
 *
 * <pre>
 *  0  u32 magic "TBLV"   4  u32  first packet number   8  24 bytes  port card
 * 32  u32 queue pair    36  u32  remote key of the ring and of the credit cell
 * 40  u64 address of the ring        48  u64  address of the credit cell
 * 56  u32 key of datagrams           60  zeros
 * </pre>
 *
 * @param port where the pair is
 * @param pair its number
 * @param psn the first packet number it sends
 * @param remoteKey what writes into the ring and the cell must show
 * @param ringAddress where the incoming ring is
 * @param cellAddress where the peer says how many slots it has released
 * @param datagramKey what datagrams must show
 */
record PairCard(
    PortCard port,
    int pair,
    int psn,
    int remoteKey,
    long ringAddress,
    long cellAddress,
    int datagramKey) {
  static final int SIZE_BYTES = 64;

  private static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'V' << 24;
  private static final int MAX_PAIR = 0xffffff;

  byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putInt(psn);
    port.write(bytes);
    bytes.putInt(pair).putInt(remoteKey).putLong(ringAddress).putLong(cellAddress);
    bytes.putInt(datagramKey);
    return bytes.array();
  }

  /** The card in {@code bytes}; {@link CorruptException} if they are none. */
  static PairCard decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int magic = in.getInt();
    int psn = in.getInt();
    PortCard port =
        PortCard.read(in)
            .orElseThrow(() -> new CorruptException("the peer's card names no port we know of"));
    PairCard card =
        new PairCard(port, in.getInt(), psn, in.getInt(), in.getLong(), in.getLong(), in.getInt());
    if (magic != MAGIC || card.pair < 0 || card.pair > MAX_PAIR || psn < 0 || psn > MAX_PAIR) {
      throw new CorruptException(
          String.format("the peer's card starts with %08x, queue pair %d", magic, card.pair));
    }
    return card;
  }
}
