// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.NativeEnvironment;
import java.util.function.Predicate;

/**
 * Environment variables that a library is to find with {@code getenv}.
 *
 * @param fixed what it must find, whatever the user has set: a library that is opened from one
 *     folder cannot work with another one's plug-ins
 * @param preset what it finds unless the user has set the variable
 */
public record LibraryEnvironment(
    ImmutableMap<String, String> fixed, ImmutableMap<String, String> preset) {

  /** A library that needs nothing. */
  public static final LibraryEnvironment NONE =
      new LibraryEnvironment(ImmutableMap.of(), ImmutableMap.of());

  /** What has to be set, in a process where {@code isSet} tells what is. */
  public ImmutableMap<String, String> changes(Predicate<String> isSet) {
    ImmutableMap.Builder<String, String> changes = ImmutableMap.builder();
    changes.putAll(fixed);
    preset.forEach(
        (name, value) -> {
          if (!isSet.test(name)) {
            changes.put(name, value);
          }
        });
    return changes.buildOrThrow();
  }

  /** Sets them in this process, as {@link NativeEnvironment} describes it. */
  public void export() {
    NativeEnvironment.export(changes(name -> NativeEnvironment.get(name).isPresent()));
  }
}
