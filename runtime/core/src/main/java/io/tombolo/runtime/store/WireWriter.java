// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds one message of the store protocol. */
final class WireWriter {
  /** Larger values are not copied into a message that {@link #pieces} gives. */
  private static final int SHARED_BYTES = 4 << 10;

  private final List<byte[]> pieces = new ArrayList<>();
  private ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);

  WireWriter u8(int value) {
    room(1).put((byte) value);
    return this;
  }

  WireWriter u32(int value) {
    room(4).putInt(value);
    return this;
  }

  WireWriter i64(long value) {
    room(8).putLong(value);
    return this;
  }

  /** A length and that many bytes. */
  WireWriter bytes(byte[] value) {
    i64(value.length);
    room(value.length).put(value);
    return this;
  }

  /** A key, or any text whose characters are bytes. */
  WireWriter key(String key) {
    return bytes(key.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** A count and that many keys. */
  WireWriter keys(List<String> keys) {
    i64(keys.size());
    keys.forEach(this::key);
    return this;
  }

  /** A length and that many bytes, without a copy if they are many: nobody changes them. */
  WireWriter shared(byte[] value) {
    if (value.length < SHARED_BYTES) {
      return bytes(value);
    }
    i64(value.length);
    pieces.add(written());
    pieces.add(value);
    out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    return this;
  }

  /** The message, in pieces. */
  ImmutableList<byte[]> pieces() {
    ImmutableList.Builder<byte[]> all = ImmutableList.<byte[]>builder().addAll(pieces);
    return (out.position() > 0 ? all.add(written()) : all).build();
  }

  /** The message, of which nothing is {@linkplain #shared shared}. */
  byte[] toBytes() {
    return written();
  }

  private byte[] written() {
    return Arrays.copyOf(out.array(), out.position());
  }

  private ByteBuffer room(int sizeBytes) {
    if (out.remaining() < sizeBytes) {
      int needed = Math.addExact(out.position(), sizeBytes);
      byte[] grown = Arrays.copyOf(out.array(), Math.max(needed, 2 * out.capacity()));
      out = ByteBuffer.wrap(grown).order(ByteOrder.LITTLE_ENDIAN).position(out.position());
    }
    return out;
  }
}
