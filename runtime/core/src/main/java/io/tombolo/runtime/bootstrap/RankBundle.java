// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * A value from each of some ranks, as they go up a {@link GatherTree}: magic "TMBG" (u32), version
 * (u16), then, deflated (zlib), for each rank its number (u32), the value's length (u32), and the
 * value. Ranks resemble each other: together they take a fraction of what each takes alone.
 */
final class RankBundle {
  /** Inflated, what all ranks gave has at most so many bytes. */
  static final int LIMIT_BYTES = 256 << 20;

  private static final int MAGIC = 0x47424D54; // "TMBG", little-endian
  private static final short VERSION = 1;
  private static final int HEADER_BYTES = 6;
  private static final int ENTRY_BYTES = 8;
  private static final int PIECE_BYTES = 64 << 10;

  private final TreeMap<Integer, byte[]> values = new TreeMap<>();

  /** The bundle in which {@code rank}, itself with {@code value}, passes {@code below} on. */
  static byte[] merge(GatherTree tree, int rank, byte[] value, List<byte[]> below) {
    RankBundle bundle = new RankBundle();
    bundle.values.put(rank, value);
    List<Integer> children = tree.children(rank);
    for (int i = 0; i < children.size(); i++) {
      bundle.addAll(below.get(i), tree.under(children.get(i)), "rank " + children.get(i));
    }
    return bundle.encode();
  }

  /** The values in rank 0's bundle, by rank. */
  static ImmutableList<byte[]> all(GatherTree tree, byte[] bytes) {
    RankBundle bundle = new RankBundle();
    bundle.addAll(bytes, tree.under(0), "rank 0");
    return bundle.values.values().stream().collect(toImmutableList());
  }

  private byte[] encode() {
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    values.forEach(
        (rank, value) -> {
          plain.writeBytes(buffer(ENTRY_BYTES).putInt(rank).putInt(value.length).array());
          plain.writeBytes(value);
        });
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(buffer(HEADER_BYTES).putInt(MAGIC).putShort(VERSION).array());
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(plain.toByteArray());
      deflater.finish();
      byte[] piece = new byte[PIECE_BYTES];
      while (!deflater.finished()) {
        out.write(piece, 0, deflater.deflate(piece));
      }
    } finally {
      deflater.end();
    }
    return out.toByteArray();
  }

  private void addAll(byte[] bytes, List<Integer> ranks, String source) {
    ByteBuffer in = inflated(bytes, source);
    for (int i = 0; i < ranks.size(); i++) {
      if (in.remaining() < ENTRY_BYTES) {
        throw corrupt(source, "ends after " + i + " of " + ranks.size() + " ranks");
      }
      int rank = in.getInt();
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw corrupt(source, "ends within what rank " + rank + " gave");
      }
      byte[] value = new byte[length];
      in.get(value);
      values.put(rank, value);
    }
    if (in.hasRemaining() || !values.keySet().containsAll(ranks)) {
      throw corrupt(source, "is not of the " + ranks.size() + " ranks that it should be of");
    }
  }

  private static ByteBuffer inflated(byte[] bytes, String source) {
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER_BYTES || header.getInt() != MAGIC) {
      throw corrupt(source, "is none");
    }
    int version = Short.toUnsignedInt(header.getShort());
    if (version != VERSION) {
      throw new MismatchException(
          "%s comes together by version %s of our protocol, and this rank by version %s; run the same build everywhere"
              .formatted(source, version, VERSION));
    }
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(header);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] piece = new byte[PIECE_BYTES];
      while (!inflater.finished()) {
        int inflated = inflater.inflate(piece);
        if (inflated == 0 && !inflater.finished()) {
          throw corrupt(source, "ends too early");
        }
        if (out.size() + inflated > LIMIT_BYTES) {
          throw corrupt(source, "has more than " + LIMIT_BYTES + " bytes");
        }
        out.write(piece, 0, inflated);
      }
      return ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    } catch (DataFormatException e) {
      throw corrupt(source, "cannot be inflated: " + e.getMessage());
    } finally {
      inflater.end();
    }
  }

  private static CorruptException corrupt(String source, String what) {
    return new CorruptException("the bundle of " + source + " " + what);
  }

  private static ByteBuffer buffer(int sizeBytes) {
    return ByteBuffer.allocate(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
