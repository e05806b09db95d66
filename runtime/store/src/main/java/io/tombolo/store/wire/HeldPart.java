// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

/**
 * What a holder has of a tensor, which a client may read until it gives its lease back.
 *
 * @param part which part of which tensor it is
 * @param offset where it begins in the holder's memory
 * @param checksum CRC-32C of its bytes
 */
public record HeldPart(NamedPart part, long offset, int checksum) {
  static final int LEAST_BYTES = NamedPart.LEAST_BYTES + Long.BYTES + Integer.BYTES;

  void write(FieldWriter out) {
    part.write(out);
    out.i64(offset).i32(checksum);
  }

  static HeldPart read(FieldReader in) {
    return new HeldPart(NamedPart.read(in), in.natural(), in.i32());
  }
}
