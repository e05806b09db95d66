// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.faulty.Faults;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Two fabrics of one kind in this process, driven by one thread, and a channel between them. */
final class FabricPair implements AutoCloseable {
  static final boolean IN_GUEST = Boolean.getBoolean("tombolo.rdma.vm");

  /** Long, as a busy machine takes seconds; the virtual machine is up to 30 times slower. */
  static final Duration BUDGET = Duration.ofSeconds(IN_GUEST ? 90 : 60);

  private static final long REST_NS = 200_000;

  /** How long nothing happens once nothing is under way, on a busy machine too. */
  private static final Duration SILENCE = Duration.ofMillis(IN_GUEST ? 3000 : 200);

  /** A thread that did not run for as long has not heard a silence: it looks so often, too. */
  private static final int QUIET_LOOKS = 100;

  final Fabric low;
  final Fabric high;
  final Channel fromLow;
  final Channel fromHigh;

  FabricPair(Kind kind, SlotGeometry geometry) {
    this(kind, geometry, Optional.empty());
  }

  /** With {@code faults} before both, which only lossy kinds can have. */
  FabricPair(Kind kind, SlotGeometry geometry, Optional<Faults> faults) {
    JobToken token = JobToken.random();
    low = kind.open(settings(0, token, geometry), faults);
    high = kind.open(settings(1, token, geometry), faults);
    fromLow = low.connect(1, high.address(), 7, Deadline.after(BUDGET));
    fromHigh = high.connect(0, low.address(), 7, Deadline.after(BUDGET));
  }

  private static FabricSettings settings(int rank, JobToken token, SlotGeometry geometry) {
    return new FabricSettings(rank, token, HostPinner.none(), geometry, Ticker.systemTicker());
  }

  static SlotGeometry small() {
    return new SlotGeometry(3, 192);
  }

  /** Drives both sides until {@code condition} holds. */
  void until(BooleanSupplier condition) {
    drive(condition, low, high);
  }

  /** Drives both sides until all that is under way between them has arrived. */
  void settle() {
    Deadline deadline = Deadline.after(BUDGET);
    Deadline silence = Deadline.after(SILENCE);
    int quiet = 0;
    while (!silence.isExpired() || quiet < QUIET_LOOKS) {
      quiet++;
      if (low.progress() + high.progress() > 0) {
        silence = Deadline.after(SILENCE);
        quiet = 0;
      }
      if (deadline.isExpired()) {
        throw new AssertionError("something still happens after " + deadline);
      }
      LockSupport.parkNanos(REST_NS);
    }
  }

  static void drive(BooleanSupplier condition, Fabric... fabrics) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      int steps = 0;
      for (Fabric fabric : fabrics) {
        steps += fabric.progress();
      }
      if (IN_GUEST && steps == 0) {
        LockSupport.parkNanos(REST_NS); // others need its few processors
      }
      if (deadline.isExpired()) {
        throw new AssertionError("nothing came of it within " + deadline);
      }
    }
  }

  @Override
  public void close() {
    low.close();
    high.close();
  }
}
