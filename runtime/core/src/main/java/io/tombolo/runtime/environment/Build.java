// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import java.util.Optional;

/** What this build calls itself, in descriptors and in {@code tombolo version}. */
public final class Build {
  private Build() {}

  /**
   * The version from the jar's manifest, or {@code unpackaged} when the classes were not in a jar.
   */
  public static String version() {
    return Optional.ofNullable(Build.class.getPackage().getImplementationVersion())
        .orElse("unpackaged");
  }
}
