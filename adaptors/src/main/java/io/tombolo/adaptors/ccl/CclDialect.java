// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.Witness;
import io.tombolo.base.Capabilities;
import java.util.function.Supplier;

/**
 * One vendor's collective library as a row of a table: everything this project knows of it.
 *
 * @param product the library's name in messages, for example {@code NCCL}
 * @param source where it is found
 * @param shape how it is called
 * @param prefix what its symbols begin with, for example {@code nccl}
 * @param spellings whole symbols where they are not the prefix and NCCL's name, or {@link
 *     Entry#NONE}
 * @param numbers its types, operators and success
 * @param capabilities what it is declared to do right; nothing else is ever called
 * @param namesSegments whether it keeps shared memory under names of its own, see {@link
 *     NamedSegments}
 * @param sources where each fact above was found: fact → header, page or experiment, with its
 *     version
 * @param witness what the numbers are held against by a test
 * @param advice what to do where the library is not found; asked only then, as it may look at the
 *     machine
 */
public record CclDialect(
    String product,
    LibrarySource source,
    CallShape shape,
    String prefix,
    ImmutableMap<Entry, String> spellings,
    CclNumbers numbers,
    Capabilities capabilities,
    boolean namesSegments,
    ImmutableMap<String, String> sources,
    Witness witness,
    Supplier<String> advice) {

  /** With the same advice everywhere. */
  public CclDialect(
      String product,
      LibrarySource source,
      CallShape shape,
      String prefix,
      ImmutableMap<Entry, String> spellings,
      CclNumbers numbers,
      Capabilities capabilities,
      boolean namesSegments,
      ImmutableMap<String, String> sources,
      Witness witness,
      String fix) {
    this(
        product,
        source,
        shape,
        prefix,
        spellings,
        numbers,
        capabilities,
        namesSegments,
        sources,
        witness,
        () -> fix);
  }

  /** What to do where the library is not found. */
  public String fix() {
    return advice.get();
  }

  /** This row for another product with the same ABI, found elsewhere and declared by itself. */
  public CclDialect like(String otherProduct, LibrarySource otherSource, Capabilities declared) {
    return new CclDialect(
        otherProduct,
        otherSource,
        shape,
        prefix,
        spellings,
        numbers,
        declared,
        false,
        sources,
        witness,
        advice);
  }
}
