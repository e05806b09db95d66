// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableListMultimap;
import io.tombolo.base.errors.CorruptException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Tagged fields, little-endian: tag (u16), length (u32), that many bytes; a tag may repeat.
 *
 * <p>A reader skips tags it does not know, so fields can be added without a new version.
 */
final class Tlv {
  private static final int HEADER_BYTES = 6;

  private Tlv() {}

  /** Appends one field. */
  static void put(ByteArrayOutputStream out, int tag, byte[] value) {
    int length = value.length;
    byte[] header = {
      (byte) tag,
      (byte) (tag >> 8),
      (byte) length,
      (byte) (length >> 8),
      (byte) (length >> 16),
      (byte) (length >> 24)
    };
    out.write(header, 0, HEADER_BYTES);
    out.write(value, 0, length);
  }

  /** All fields in {@code in}, a little-endian buffer; {@code what} names them in errors. */
  static Fields read(ByteBuffer in, String what) {
    ImmutableListMultimap.Builder<Integer, byte[]> fields = ImmutableListMultimap.builder();
    while (in.hasRemaining()) {
      if (in.remaining() < HEADER_BYTES) {
        throw new CorruptException(what + " ends within a field's header");
      }
      int tag = Short.toUnsignedInt(in.getShort());
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new CorruptException(
            "%s: field %s has %s bytes of which %s are there"
                .formatted(what, tag, Integer.toUnsignedLong(length), in.remaining()));
      }
      byte[] value = new byte[length];
      in.get(value);
      fields.put(tag, value);
    }
    return new Fields(fields.build(), what);
  }

  /** Fields by tag. */
  record Fields(ImmutableListMultimap<Integer, byte[]> byTag, String what) {

    /** The field that must be there exactly once. */
    byte[] one(int tag, String name) {
      List<byte[]> values = byTag.get(tag);
      if (values.size() != 1) {
        throw new CorruptException(
            what + " has " + values.size() + " fields '" + name + "', not 1");
      }
      return values.get(0);
    }

    /** The fields that may be there any number of times. */
    List<byte[]> all(int tag) {
      return byTag.get(tag);
    }
  }
}
