// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Environment variables, read with their names; one that is blank counts as not set.
 *
 * @param all by name
 */
record Variables(Map<String, String> all) {

  /** The first of {@code names} that is set. */
  Optional<Sourced<String>> first(List<String> names) {
    for (String name : names) {
      String value = all.getOrDefault(name, "");
      if (!value.isBlank()) {
        return Optional.of(new Sourced<>(value.strip(), name));
      }
    }
    return Optional.empty();
  }

  Optional<Sourced<String>> first(String... names) {
    return first(List.of(names));
  }

  boolean has(String name) {
    return first(name).isPresent();
  }

  /** The number that {@code text} is; a {@link UsageException} names the variable if it is none. */
  static Sourced<Integer> number(Sourced<String> text, int least, int most) {
    try {
      int number = Integer.parseInt(text.value());
      if (number >= least && number <= most) {
        return new Sourced<>(number, text.origin());
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    String range =
        most == Integer.MAX_VALUE ? " from " + least + " on" : " from " + least + " to " + most;
    throw new UsageException(text.assignment() + " is not a whole number" + range);
  }
}
