// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

/**
 * A tensor that a client may read until it gives its lease back.
 *
 * @param tensor what it is
 * @param offset where it begins in the volume's memory
 * @param checksum CRC-32C of its bytes, as it was put
 */
public record LeasedTensor(NamedSpec tensor, long offset, int checksum) {
  static final int LEAST_BYTES = NamedSpec.LEAST_BYTES + Long.BYTES + Integer.BYTES;

  void write(FieldWriter out) {
    tensor.write(out);
    out.i64(offset).i32(checksum);
  }

  static LeasedTensor read(FieldReader in) {
    return new LeasedTensor(NamedSpec.read(in), in.natural(), in.i32());
  }
}
