// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.LibraryEnvironment;

/**
 * Where a library is found. A copy that the process has loaded already comes before any other.
 *
 * @param libraries names for the dynamic loader, or absolute paths, tried in this order
 * @param dependencies absolute paths opened before the library, in this order, and kept from
 *     changing signal handlers, so that the loader has no search of its own to do
 * @param environment variables that the library reads with {@code getenv}, exported before anything
 *     of it is opened
 */
public record LibrarySource(
    ImmutableList<String> libraries,
    ImmutableList<String> dependencies,
    LibraryEnvironment environment) {

  /** A library that the dynamic loader finds by itself, under the first of these names it has. */
  public static LibrarySource named(ImmutableList<String> libraries) {
    return new LibrarySource(libraries, ImmutableList.of(), LibraryEnvironment.NONE);
  }

  /** As {@link #named(ImmutableList)}, for a library that reads {@code environment}. */
  static LibrarySource named(ImmutableList<String> libraries, LibraryEnvironment environment) {
    return new LibrarySource(libraries, ImmutableList.of(), environment);
  }
}
