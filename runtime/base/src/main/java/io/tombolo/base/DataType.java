// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import io.tombolo.base.errors.UsageException;
import java.util.Arrays;
import java.util.Locale;

/**
 * The element types a collective can carry.
 *
 * <p>{@link #code()} is this project's own wire number; what a vendor calls a type is a matter of
 * that vendor's dialect row and never leaks in here.
 */
public enum DataType {
  I8(0, 1, Kind.WHOLE),
  U8(1, 1, Kind.WHOLE),
  I16(2, 2, Kind.WHOLE),
  U16(3, 2, Kind.WHOLE),
  I32(4, 4, Kind.WHOLE),
  U32(5, 4, Kind.WHOLE),
  I64(6, 8, Kind.WHOLE),
  U64(7, 8, Kind.WHOLE),
  /** IEEE binary16. */
  F16(8, 2, Kind.FLOATING),
  /** The upper half of an f32. */
  BF16(9, 2, Kind.FLOATING),
  F32(10, 4, Kind.FLOATING),
  F64(11, 8, Kind.FLOATING),
  /** A byte: 0 is false, anything else is true, and results are 0 or 1. */
  BOOL(12, 1, Kind.BOOLEAN),
  /**
   * OCP's E4M3, which torch calls {@code float8_e4m3fn}: no infinities, one NaN per sign, largest
   * number 448 (OCP 8-bit Floating Point Specification 1.0, §5.1).
   */
  F8E4M3(13, 1, Kind.FLOATING),
  /** OCP's E5M2: infinities and NaNs as in IEEE 754, the upper byte of an f16. */
  F8E5M2(14, 1, Kind.FLOATING);

  /** What an element stands for; it decides which operators make sense. */
  public enum Kind {
    /** A signed or unsigned integer, in two's complement. */
    WHOLE,
    /** A floating-point number. */
    FLOATING,
    /** True or false. */
    BOOLEAN
  }

  private final int code;
  private final String text = name().toLowerCase(Locale.ROOT);
  private final int sizeBytes;
  private final Kind kind;

  DataType(int code, int sizeBytes, Kind kind) {
    this.code = code;
    this.sizeBytes = sizeBytes;
    this.kind = kind;
  }

  /** The number that stands for this type on our wire and in our native code. */
  public int code() {
    return code;
  }

  /** Bytes of one element. */
  public int sizeBytes() {
    return sizeBytes;
  }

  /** What an element stands for. */
  public Kind kind() {
    return kind;
  }

  /** The lower-case name used on command lines, in JSON and in messages. */
  public String text() {
    return text;
  }

  /**
   * The type called {@code text}, in any letter case; a {@link UsageException} names the choices.
   */
  public static DataType parse(String text) {
    return Arrays.stream(values())
        .filter(type -> type.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no data type is called '" + text + "'; choose one of " + names()));
  }

  private static String names() {
    return String.join(", ", Arrays.stream(values()).map(DataType::text).toList());
  }
}
