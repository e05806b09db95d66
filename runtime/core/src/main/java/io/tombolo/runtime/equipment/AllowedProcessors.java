// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.topology.machine.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which processors a thread, and those that it starts, may run on, as the kernel says: launchers
 * bind ranks to some of a host's, each to its own or several to the same.
 */
final class AllowedProcessors {
  private static final Path STATUS = Path.of("/proc/thread-self/status");
  private static final Pattern LIST = Pattern.compile("(?m)^Cpus_allowed_list:\\s*(\\S+)$");

  private AllowedProcessors() {}

  /** Those of the calling thread; none if nobody says. */
  static CpuSet ofThisThread() {
    try {
      return in(Files.readString(STATUS));
    } catch (IOException e) { // no /proc, or no more files: ranks of a host share what there is
      return CpuSet.ofList("");
    }
  }

  /** Those that a thread's {@code status} names. */
  static CpuSet in(String status) {
    Matcher list = LIST.matcher(status);
    return CpuSet.ofList(list.find() ? list.group(1) : "");
  }
}
