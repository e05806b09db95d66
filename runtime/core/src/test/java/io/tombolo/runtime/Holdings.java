// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What this process, and a job's store, hold.
 *
 * @param files open files
 * @param threads threads
 * @param rssKib memory, as the kernel counts it
 * @param keys in the store
 */
record Holdings(long files, long threads, long rssKib, long keys) {
  private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  /** After garbage has been collected. */
  static Holdings now(long keys) throws IOException {
    System.gc();
    Matcher rss = RSS.matcher(Files.readString(Path.of("/proc/self/status")));
    assertTrue(rss.find());
    return new Holdings(
        count("/proc/self/fd"), count("/proc/self/task"), Long.parseLong(rss.group(1)), keys);
  }

  private static long count(String folder) throws IOException {
    try (var entries = Files.list(Path.of(folder))) {
      return entries.count();
    }
  }

  @Override
  public String toString() {
    return "%d KiB, %d files, %d threads, %d keys".formatted(rssKib, files, threads, keys);
  }
}
