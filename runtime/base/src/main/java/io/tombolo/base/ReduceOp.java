// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.base.DataType.Kind;
import io.tombolo.base.errors.UsageException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The operators that combine the ranks' elements. Wire numbers are our own, as with {@link
 * DataType}.
 *
 * <p>On bool they are logical, as torch has it: sum, maximum and {@link #BOR} are <em>or</em>,
 * product, minimum and {@link #BAND} are <em>and</em>, {@link #BXOR} is <em>exclusive or</em>;
 * there is no average of bools.
 *
 * <p>A pre-multiplied sum is a scaling followed by {@link #SUM}; an operator of the user's own is a
 * callback. Neither is a constant here.
 */
public enum ReduceOp {
  SUM(0, EnumSet.allOf(Kind.class)),
  PROD(1, EnumSet.allOf(Kind.class)),
  MIN(2, EnumSet.allOf(Kind.class)),
  MAX(3, EnumSet.allOf(Kind.class)),
  /** The sum divided by the number of ranks; whole numbers truncate toward zero. */
  AVG(4, EnumSet.of(Kind.WHOLE, Kind.FLOATING)),
  /** Bitwise and. */
  BAND(5, EnumSet.of(Kind.WHOLE, Kind.BOOLEAN)),
  /** Bitwise or. */
  BOR(6, EnumSet.of(Kind.WHOLE, Kind.BOOLEAN)),
  /** Bitwise exclusive or. */
  BXOR(7, EnumSet.of(Kind.WHOLE, Kind.BOOLEAN));

  private final int code;
  private final String text = name().toLowerCase(Locale.ROOT);
  private final ImmutableSet<Kind> kinds;

  ReduceOp(int code, Set<Kind> kinds) {
    this.code = code;
    this.kinds = Sets.immutableEnumSet(kinds);
  }

  /** The number that stands for this operator on our wire and in our native code. */
  public int code() {
    return code;
  }

  /** Whether elements of {@code type} can be combined by this operator. */
  public boolean appliesTo(DataType type) {
    return kinds.contains(type.kind());
  }

  /**
   * A {@link UsageException} unless this operator {@linkplain #appliesTo applies} to {@code type}.
   */
  public void requireAppliesTo(DataType type) {
    if (!appliesTo(type)) {
      throw new UsageException(
          "elements of %s cannot be combined by %s, which is for %s"
              .formatted(
                  type.text(),
                  text(),
                  Arrays.stream(DataType.values())
                      .filter(this::appliesTo)
                      .map(DataType::text)
                      .collect(Collectors.joining(", "))));
    }
  }

  /** The lower-case name used on command lines, in JSON and in messages. */
  public String text() {
    return text;
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
