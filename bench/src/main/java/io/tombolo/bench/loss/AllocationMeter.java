// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What the thread that drives both ends allocates on the heap. */
final class AllocationMeter {
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private long startBytes;
  private long bytes;

  void start() {
    startBytes = threads.getCurrentThreadAllocatedBytes();
  }

  void stop() {
    bytes = threads.getCurrentThreadAllocatedBytes() - startBytes;
  }

  /** Bytes between start and stop, for each of {@code messages}. */
  double perMessage(int messages) {
    return (double) bytes / messages;
  }
}
