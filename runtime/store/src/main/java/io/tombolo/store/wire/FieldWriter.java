// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/** A message under way to the wire: a growing buffer, little-endian. */
final class FieldWriter {
  private static final int FIRST_BYTES = 256;

  private ByteBuffer out = ByteBuffer.allocate(FIRST_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  FieldWriter u8(int value) {
    room(Byte.BYTES).put((byte) value);
    return this;
  }

  FieldWriter i32(int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  FieldWriter i64(long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  FieldWriter text(String text, int mostBytes) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > mostBytes) {
      throw new UsageException(
          "a name is at most %s bytes; '%s…' has %s"
              .formatted(mostBytes, text.substring(0, 40), bytes.length));
    }
    i32(bytes.length);
    room(bytes.length).put(bytes);
    return this;
  }

  <T> FieldWriter list(List<T> values, int most, BiConsumer<FieldWriter, T> each) {
    if (values.size() > most) {
      throw new UsageException(
          "%s at once are too many; at most %s: make several calls of it"
              .formatted(values.size(), most));
    }
    i32(values.size());
    values.forEach(value -> each.accept(this, value));
    return this;
  }

  FieldWriter bytes(ImmutableList<Byte> bytes, int most) {
    return list(bytes, most, (to, each) -> to.u8(each));
  }

  /** The message, with its length before it. */
  ByteBuffer frame(int mostBytes) {
    int length = out.position();
    if (length > mostBytes) {
      throw new UsageException(
          "the names and shapes of one call take %s bytes; at most %s: make several calls of it"
              .formatted(length, mostBytes));
    }
    ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
    return frame.putInt(length).put(out.flip()).flip();
  }

  private ByteBuffer room(int sizeBytes) {
    if (out.remaining() < sizeBytes) {
      int capacity = Math.max(2 * out.capacity(), out.position() + sizeBytes);
      out = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN).put(out.flip());
    }
    return out;
  }
}
