package io.tombolo.base;

import io.tombolo.base.errors.UsageException;
import java.util.Arrays;
import java.util.Locale;

/**
 * The operators that combine the ranks' elements. Wire numbers are our own, as with {@link
 * DataType}.
 */
public enum ReduceOp {
  SUM(0),
  PROD(1),
  MIN(2),
  MAX(3),
  AVG(4);

  private final int code;

  ReduceOp(int code) {
    this.code = code;
  }

  /** The number that stands for this operator on our wire and in our native code. */
  public int code() {
    return code;
  }

  /** The lower-case name used on command lines, in JSON and in messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The operator called {@code text}, in any letter case; a {@link UsageException} names the
   * choices.
   */
  public static ReduceOp parse(String text) {
    return Arrays.stream(values())
        .filter(op -> op.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no reduce operator is called '"
                        + text
                        + "'; choose one of "
                        + String.join(", ", Arrays.stream(values()).map(ReduceOp::text).toList())));
  }
}
