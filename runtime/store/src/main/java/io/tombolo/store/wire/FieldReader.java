// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * A message from the wire. Whatever is not as it should be is a {@link CorruptException}, and takes
 * no more memory than the message did.
 */
final class FieldReader {
  private final ByteBuffer in;

  FieldReader(ByteBuffer message) {
    this.in = message.order(ByteOrder.LITTLE_ENDIAN);
  }

  int u8() {
    return Byte.toUnsignedInt(need(Byte.BYTES).get());
  }

  boolean bool() {
    int value = u8();
    if (value > 1) {
      throw new CorruptException("yes or no is " + value);
    }
    return value == 1;
  }

  int i32() {
    return need(Integer.BYTES).getInt();
  }

  long i64() {
    return need(Long.BYTES).getLong();
  }

  /** A number from 0 on. */
  long natural() {
    long value = i64();
    if (value < 0) {
      throw new CorruptException("a number from 0 on is " + value);
    }
    return value;
  }

  String text(int mostBytes) {
    int length = i32();
    if (length < 0 || length > mostBytes) {
      throw new CorruptException("a text of %s bytes; at most %s".formatted(length, mostBytes));
    }
    ByteBuffer text = need(length).slice(in.position(), length);
    in.position(in.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
    } catch (CharacterCodingException e) {
      throw new CorruptException("a name is not UTF-8", e);
    }
  }

  <T> ImmutableList<T> list(int most, int leastBytesEach, Function<FieldReader, T> each) {
    int count = i32();
    if (count < 0 || count > most || (long) count * leastBytesEach > in.remaining()) {
      throw new CorruptException(
          "a list of %s in %s bytes; at most %s".formatted(count, in.remaining(), most));
    }
    ImmutableList.Builder<T> list = ImmutableList.builderWithExpectedSize(count);
    for (int index = 0; index < count; index++) {
      list.add(each.apply(this));
    }
    return list.build();
  }

  ImmutableList<Byte> bytes(int most) {
    return list(most, Byte.BYTES, from -> (byte) from.u8());
  }

  /** Nothing may be left over. */
  void end() {
    if (in.hasRemaining()) {
      throw new CorruptException(in.remaining() + " bytes after the end of a message");
    }
  }

  private ByteBuffer need(int sizeBytes) {
    if (in.remaining() < sizeBytes) {
      throw new CorruptException(
          "a message ends %s bytes too early".formatted(sizeBytes - in.remaining()));
    }
    return in;
  }
}
