// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import java.util.OptionalLong;

/**
 * What a holder has of a tensor, which a client may read until it gives its lease back.
 *
 * @param part which part of which tensor it is
 * @param offset where it begins in the memory that the holder shares; empty if it is not there, and
 *     only {@link VolumeRequest.Read} brings it
 * @param checksum CRC-32C of its bytes
 */
public record HeldPart(NamedPart part, OptionalLong offset, int checksum) {
  static final int LEAST_BYTES = NamedPart.LEAST_BYTES + Byte.BYTES + Long.BYTES + Integer.BYTES;

  void write(FieldWriter out) {
    part.write(out);
    out.u8(offset.isPresent() ? 1 : 0).i64(offset.orElse(0)).i32(checksum);
  }

  static HeldPart read(FieldReader in) {
    NamedPart part = NamedPart.read(in);
    boolean shared = in.bool();
    long offset = in.natural();
    return new HeldPart(part, shared ? OptionalLong.of(offset) : OptionalLong.empty(), in.i32());
  }
}
