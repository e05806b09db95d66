// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.recorder.FlightHeader;
import io.tombolo.runtime.recorder.FlightLog;

/**
 * A file of a flight recorder.
 *
 * @param file its name
 * @param log what is in it
 */
record Recording(String file, FlightLog log) {

  /** A communicator, among all that ever were. */
  record CommunicatorKey(long job, long group) {}

  /** A process, among all that ever were. */
  record ProcessKey(String hostId, String space, long pid, long startTicks) {}

  FlightHeader header() {
    return log.header();
  }

  int rank() {
    return header().rank();
  }

  CommunicatorKey communicator() {
    return new CommunicatorKey(header().job(), header().group());
  }

  ProcessKey process() {
    RankClaim claim = header().process();
    return new ProcessKey(claim.hostId(), claim.space(), claim.pid(), claim.startTicks());
  }

  /**
   * What people call its communicator: the name that the user gave, the number of the group in it,
   * and how often the ranks had joined before, as far as there are such.
   */
  String label() {
    String name = header().name();
    String group = header().group() == 0 ? "" : Long.toString(header().group());
    String both = name.isEmpty() || group.isEmpty() ? name + group : name + "/" + group;
    String label = both.isEmpty() ? "all" : both;
    return header().round() == 0 ? label : label + "@" + header().round();
  }
}
