// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.ResourceException;

/**
 * Whether this process may have as many files open as a rank needs. A class of its own, which needs
 * none itself: where they run out, Java finds no more classes, and says which instead of why.
 */
public final class RankFiles {
  /** Connections to the store, fabrics and the vendor's library have as many open in small jobs. */
  private static final int LEAST = 20;

  private static final int FAILED = 1;

  private RankFiles() {}

  /** The first thing that a rank's program does; ends the process, and says why, if not. */
  public static void checkOrExit() {
    try {
      OpenFiles.require("a rank", LEAST);
    } catch (ResourceException e) {
      System.err.println(e.getMessage());
      System.exit(FAILED);
    }
  }
}
