// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this process takes of the processors, user and system time of all its threads: the JVM's own
 * are among them.
 *
 * @param startNs what it had taken when the measurement began
 */
record ProcessorTime(long startNs) {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  static ProcessorTime start() {
    return new ProcessorTime(SYSTEM.getProcessCpuTime());
  }

  /** Taken since the start. */
  long passedNs() {
    return SYSTEM.getProcessCpuTime() - startNs;
  }
}
