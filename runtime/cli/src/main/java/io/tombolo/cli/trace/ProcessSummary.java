// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import io.tombolo.cli.trace.TraceSummary.RankSummary;
import java.util.List;

/**
 * What one process's communicators are doing, as JSON has it: the names of its members stay.
 *
 * @param pid the process
 * @param folder where it records
 * @param communicators those that it has not left first, then the newest
 */
record ProcessSummary(long pid, String folder, List<Part> communicators) {

  /**
   * A communicator.
   *
   * @param group its name
   * @param size how many ranks it has
   * @param self this process in it
   */
  record Part(String group, int size, RankSummary self) {}
}
