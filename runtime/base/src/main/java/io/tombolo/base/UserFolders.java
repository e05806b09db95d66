// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import java.nio.file.Path;
import java.util.Map;

/** Where this project keeps what belongs to a user. */
public final class UserFolders {
  private UserFolders() {}

  /**
   * The folder of what can be made again: {@code TOMBOLO_CACHE}, else {@code tombolo} below {@code
   * XDG_CACHE_HOME} or {@code ~/.cache}. It need not exist.
   */
  public static Path cache(Map<String, String> environment) {
    String chosen = environment.getOrDefault("TOMBOLO_CACHE", "");
    if (!chosen.isEmpty()) {
      return Path.of(chosen);
    }
    String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
    Path base =
        caches.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(caches);
    return base.resolve("tombolo");
  }
}
