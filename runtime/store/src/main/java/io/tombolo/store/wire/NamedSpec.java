// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.value.TensorSpec;
import java.util.Arrays;

/**
 * A tensor and its name.
 *
 * @param name what it is called
 * @param spec what it is
 */
public record NamedSpec(String name, TensorSpec spec) {
  /** The length of the name, the type, and the number of dimensions. */
  static final int LEAST_BYTES = 9;

  void write(FieldWriter out) {
    out.text(name, WireBounds.NAME_BYTES)
        .u8(spec.type().code())
        .list(spec.shape(), TensorSpec.MAX_DIMENSIONS, FieldWriter::i64);
  }

  static NamedSpec read(FieldReader in) {
    String name = in.text(WireBounds.NAME_BYTES);
    DataType type = type(in.u8());
    ImmutableList<Long> shape =
        in.list(TensorSpec.MAX_DIMENSIONS, Long.BYTES, FieldReader::natural);
    try {
      return new NamedSpec(name, new TensorSpec(type, shape));
    } catch (ArithmeticException e) {
      throw new CorruptException("'%s' of shape %s has too many bytes".formatted(name, shape), e);
    }
  }

  private static DataType type(int code) {
    return Arrays.stream(DataType.values())
        .filter(type -> type.code() == code)
        .findFirst()
        .orElseThrow(() -> new CorruptException("no data type has number " + code));
  }
}
