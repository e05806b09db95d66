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
 * @param abortsSince the first version, in the library's own coding, in which an abort is sound
 *     while another thread is in a call: {@code ABORT} is not declared for older ones. 0: all
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
    Supplier<String> advice,
    int abortsSince) {

  /** That aborts soundly in all versions, if it is declared to abort. */
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
      Supplier<String> advice) {
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
        advice,
        0);
  }

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

  /** The same row for a library whose aborts are sound from {@code version} on. */
  public CclDialect abortingSince(int version) {
    return new CclDialect(
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
        advice,
        version);
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
        advice,
        abortsSince);
  }
}
