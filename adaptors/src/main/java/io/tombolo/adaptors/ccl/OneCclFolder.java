// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.base.UserFolders;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where oneCCL is on this machine: where the user says, or where {@link OneCclInstaller} puts it.
 */
public final class OneCclFolder {
  /** Names a folder that holds {@code libccl.so.2} and what it needs. */
  public static final String VARIABLE = "TOMBOLO_ONECCL_DIR";

  private OneCclFolder() {}

  /** The folder to look in, which need not exist; {@code environment} is the process's. */
  public static Path of(Map<String, String> environment) {
    String chosen = environment.getOrDefault(VARIABLE, "");
    return chosen.isEmpty()
        ? OneCclInstaller.folderIn(UserFolders.cache(environment))
        : Path.of(chosen);
  }
}
