// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Set;
import org.testng.annotations.Test;

public class ElementsTest {
  static final Set<DataType> PREDICTABLE =
      EnumSet.complementOf(EnumSet.of(DataType.BOOL, DataType.F8E4M3, DataType.F8E5M2));

  @Test
  public void shouldWriteEveryExactWholeNumberAsTheTypeHoldsIt() {
    for (DataType type : PREDICTABLE) {
      long limit = Math.min(Elements.exactLimit(type), 3000);
      for (long value = Elements.isSigned(type) ? -limit : 0; value <= limit; value++) {
        ByteBuffer out = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        Elements.put(out, type, value);
        assertEquals(out.position(), type.sizeBytes(), type.text());
        assertEquals(read(out.flip(), type), (double) value, type.text());
      }
    }
  }

  @Test
  public void shouldRefuseTypesWithoutExactData() {
    assertThrows(UsageException.class, () -> Elements.exactLimit(DataType.F8E4M3));
    assertThrows(UsageException.class, () -> Elements.exactLimit(DataType.BOOL));
  }

  /** Reads by the types' definitions, independently of how they are written. */
  private static double read(ByteBuffer in, DataType type) {
    return switch (type) {
      case I8 -> in.get();
      case U8 -> Byte.toUnsignedInt(in.get());
      case I16 -> in.getShort();
      case U16 -> Short.toUnsignedInt(in.getShort());
      case I32 -> in.getInt();
      case U32 -> Integer.toUnsignedLong(in.getInt());
      case I64, U64 -> in.getLong();
      case F32 -> in.getFloat();
      case F64 -> in.getDouble();
      case F16 -> real(in.getShort(), 5);
      case BF16 -> real(in.getShort(), 8);
      case BOOL, F8E4M3, F8E5M2 -> throw new AssertionError(type);
    };
  }

  /** IEEE 754: sign, exponent of {@code exponentBits}, the rest of 16 bits is the fraction. */
  private static double real(short bits, int exponentBits) {
    int fractionBits = 15 - exponentBits;
    int bias = (1 << (exponentBits - 1)) - 1;
    int exponent = (bits & 0x7fff) >>> fractionBits;
    double fraction = (bits & ((1 << fractionBits) - 1)) / (double) (1 << fractionBits);
    double magnitude =
        exponent == 0 ? Math.scalb(fraction, 1 - bias) : Math.scalb(1 + fraction, exponent - bias);
    return bits < 0 ? -magnitude : magnitude;
  }
}
