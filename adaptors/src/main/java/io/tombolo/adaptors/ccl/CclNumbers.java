// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnsupportedException;
import java.util.Map;

/**
 * What a library calls types, operators and results in its ABI.
 *
 * @param types its number for each element type it has
 * @param reduceOps its number for each operator it has
 * @param success the result code that means success; every other one is an error
 * @param ofOthers results that say only that another member has failed or left
 * @param unfinished asynchronous results that are no errors: the work is still under way
 */
public record CclNumbers(
    ImmutableMap<DataType, Integer> types,
    ImmutableMap<ReduceOp, Integer> reduceOps,
    int success,
    ImmutableSet<Integer> ofOthers,
    ImmutableSet<Integer> unfinished) {

  /** Of a library that has no such code of others, as far as is known. */
  public CclNumbers(
      ImmutableMap<DataType, Integer> types,
      ImmutableMap<ReduceOp, Integer> reduceOps,
      int success,
      ImmutableSet<Integer> unfinished) {
    this(types, reduceOps, success, ImmutableSet.of(), unfinished);
  }

  /** The library's number for {@code type}. */
  int of(DataType type) {
    return number(types, type, type.text());
  }

  /** The library's number for {@code op}. */
  int of(ReduceOp op) {
    return number(reduceOps, op, op.text());
  }

  /** Whether the asynchronous {@code result} is an error. */
  boolean isError(int result) {
    return result != success && !unfinished.contains(result);
  }

  private static <K> int number(Map<K, Integer> numbers, K key, String text) {
    Integer number = numbers.get(key);
    if (number == null) {
      throw new UnsupportedException("this library has no number for " + text);
    }
    return number;
  }
}
