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
  I8(0, 1),
  U8(1, 1),
  I16(2, 2),
  U16(3, 2),
  I32(4, 4),
  U32(5, 4),
  I64(6, 8),
  U64(7, 8),
  F16(8, 2),
  BF16(9, 2),
  F32(10, 4),
  F64(11, 8),
  BOOL(12, 1),
  F8E4M3(13, 1),
  F8E5M2(14, 1);

  private final int code;
  private final int sizeBytes;

  DataType(int code, int sizeBytes) {
    this.code = code;
    this.sizeBytes = sizeBytes;
  }

  /** The number that stands for this type on our wire and in our native code. */
  public int code() {
    return code;
  }

  /** Bytes of one element. */
  public int sizeBytes() {
    return sizeBytes;
  }

  /** The lower-case name used on command lines, in JSON and in messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
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
