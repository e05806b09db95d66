// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Takes out of an environment what must not be handed to others. */
final class Secrets {
  private static final String HIDDEN = "(hidden)";

  /** Names that tell. */
  private static final Pattern NAME =
      Pattern.compile("(?i).*(token|secret|passw|passphrase|credential|key|auth|cookie|session).*");

  /** Values that tell: a job token, or any long hexadecimal text; a password within a URL. */
  private static final Pattern VALUE =
      Pattern.compile("(?s).*([0-9a-fA-F]{32,}|://[^/\\s:@]*:[^/\\s@]+@).*");

  private Secrets() {}

  /** {@code environment} with every value that could be a secret replaced. */
  static ImmutableSortedMap<String, String> masked(Map<String, String> environment) {
    ImmutableSortedMap.Builder<String, String> masked = ImmutableSortedMap.naturalOrder();
    environment.forEach(
        (name, value) -> {
          boolean secret = NAME.matcher(name).matches() || VALUE.matcher(value).matches();
          masked.put(name, secret ? HIDDEN : value);
        });
    return masked.buildOrThrow();
  }
}
