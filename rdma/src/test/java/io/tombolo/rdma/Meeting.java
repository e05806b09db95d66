// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.locks.LockSupport;

/** Two processes that tell each other bytes through a folder. */
final class Meeting {
  private static final long REST_NS = 1_000_000;

  private Meeting() {}

  /** Leaves {@code mine} there, and waits for the other one's. */
  static byte[] exchange(Path folder, boolean first, byte[] mine) throws IOException {
    Path written = Files.createTempFile(folder, "address", ".part");
    Files.write(written, mine);
    Files.move(written, folder.resolve(first ? "first" : "second"), StandardCopyOption.ATOMIC_MOVE);
    Path others = folder.resolve(first ? "second" : "first");
    Deadline deadline = Deadline.after(FabricPair.BUDGET);
    while (!Files.exists(others)) {
      if (deadline.isExpired()) {
        throw new AssertionError("the other process has not come within " + deadline);
      }
      LockSupport.parkNanos(REST_NS);
    }
    return Files.readAllBytes(others);
  }
}
