// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import picocli.CommandLine;

/**
 * The benchmark's command line without the other commands, for tests that need it in a process of
 * its own.
 */
public final class BenchMain {
  private BenchMain() {}

  /** Runs {@code bench} with {@code arguments}. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new BenchCommand()).execute(arguments));
  }
}
