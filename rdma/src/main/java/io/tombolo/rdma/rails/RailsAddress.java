// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.collect.ImmutableList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What a peer needs to reach all rails of a process: little-endian. A process with one rail
 * publishes what its fabric does, which never begins like this.
 *
 * <pre>
 *  0  u32 magic "TBLA"   4  u8 version   5  u8 rails, 2 to 8
 *  6  u16 bytes of the listener's address, that address
 *     for each rail: u32 MB/s, u16 bytes of its NIC's name, that name,
 *                    u16 bytes of its address, that address
 * </pre>
 *
 * @param listener where control connections come to; empty if the process has one rail only
 * @param rails the rails, in order
 */
@SuppressWarnings("ArrayRecordComponent") // what travels, never compared
record RailsAddress(byte[] listener, ImmutableList<Entry> rails) {
  /** The most rails of a process. */
  static final int MAX_RAILS = 8;

  /** The address of nobody. */
  static final RailsAddress NONE = new RailsAddress(new byte[0], ImmutableList.of());

  private static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'A' << 24;
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 6;

  /**
   * One rail of the peer.
   *
   * @param nic the name of its NIC; empty where nobody says
   * @param megabytesPerSecond its rate; 0 where nobody knows
   * @param address what its fabric published
   */
  @SuppressWarnings("ArrayRecordComponent") // what travels, never compared
  record Entry(String nic, int megabytesPerSecond, byte[] address) {
    private byte[] name() {
      return nic.getBytes(StandardCharsets.UTF_8);
    }

    private int sizeBytes() {
      return Integer.BYTES + 2 * Short.BYTES + name().length + address.length;
    }
  }

  byte[] encode() {
    int entries = rails.stream().mapToInt(Entry::sizeBytes).sum();
    ByteBuffer bytes =
        ByteBuffer.allocate(HEADER_BYTES + Short.BYTES + listener.length + entries)
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).put(VERSION).put((byte) rails.size());
    put(bytes, listener);
    for (Entry rail : rails) {
      bytes.putInt(rail.megabytesPerSecond);
      put(bytes, rail.name());
      put(bytes, rail.address);
    }
    return bytes.array();
  }

  private static void put(ByteBuffer out, byte[] some) {
    out.putShort((short) some.length).put(some);
  }

  /** The address in {@code bytes}, if they are one: of several rails, or of one. */
  static Optional<RailsAddress> decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    boolean isOfSeveral = in.remaining() >= Integer.BYTES && in.getInt(0) == MAGIC;
    return isOfSeveral ? several(in) : Optional.of(ofOne(bytes));
  }

  private static RailsAddress ofOne(byte[] address) {
    return new RailsAddress(new byte[0], ImmutableList.of(new Entry("", 0, address)));
  }

  private static Optional<RailsAddress> several(ByteBuffer in) {
    if (in.remaining() < HEADER_BYTES || in.get(Integer.BYTES) != VERSION) {
      return Optional.empty();
    }
    int count = in.get(HEADER_BYTES - 1);
    Optional<byte[]> listener = take(in.position(HEADER_BYTES));
    ImmutableList.Builder<Entry> rails = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      int rate = in.remaining() < Integer.BYTES ? -1 : in.getInt();
      Optional<byte[]> name = take(in);
      Optional<byte[]> address = take(in);
      if (rate < 0 || name.isEmpty() || address.isEmpty()) {
        return Optional.empty();
      }
      rails.add(new Entry(new String(name.get(), StandardCharsets.UTF_8), rate, address.get()));
    }
    boolean isSound = count >= 2 && count <= MAX_RAILS && !in.hasRemaining();
    return isSound
        ? listener.map(found -> new RailsAddress(found, rails.build()))
        : Optional.empty();
  }

  private static Optional<byte[]> take(ByteBuffer in) {
    int length = in.remaining() < Short.BYTES ? -1 : Short.toUnsignedInt(in.getShort());
    if (length < 0 || in.remaining() < length) {
      return Optional.empty();
    }
    byte[] taken = new byte[length];
    in.get(taken);
    return Optional.of(taken);
  }
}
