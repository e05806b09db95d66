// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.SimulatedHabits.Habit;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * A rank of a job without faults, for as long as it is in its job: it joins, calls as its {@link
 * SimulatedHabits} are, in the whole and in a part, leaves, and then calls what it may not any
 * more.
 */
final class SimulatedUser {
  private static final Duration LONG = SimulatedJob.TIMEOUT.multipliedBy(2);

  /** Within which an abort is heard of. */
  private static final long TELLING_NS = 5_000_000_000L;

  /** How often the ranks of a job have let a stream of theirs come to where all meet. */
  static final class Came {
    private int count;
  }

  private final JobEnvironment environment;
  private final SimulatedHabits habits;
  private final Came came;
  private final List<Habit> inAll;
  private final List<Habit> inPart;

  /**
   * @param came shared by all ranks
   * @param inAll what it does with the communicator of all
   * @param inPart what it does with one that it splits off
   */
  SimulatedUser(
      JobEnvironment environment,
      SimulatedHabits habits,
      Came came,
      List<Habit> inAll,
      List<Habit> inPart) {
    this.environment = environment;
    this.habits = habits;
    this.came = came;
    this.inAll = inAll;
    this.inPart = inPart;
  }

  /** Is in the job once; until all leave it together. */
  void work() {
    Communicator all = joined();
    try (Stream stream = all.device().newStream()) {
      Work last = barrier(all, stream);
      all.close();
      SimulatedRefusals.requireAll(all, stream, last);
    }
  }

  /** As {@link #work}; but then {@code aborter} gives the job up, perhaps while interrupted. */
  void workUntilAborted(int aborter, boolean interrupted) {
    Communicator all = joined();
    try (Stream stream = all.device().newStream()) {
      Work last = barrier(all, stream);
      if (environment.rank() == aborter) {
        abort(all, interrupted);
      } else {
        hearOfAbort(all, stream);
      }
      all.close();
      SimulatedRefusals.requireAll(all, stream, last);
    }
  }

  private Communicator joined() {
    Communicator all = Communicator.join(environment);
    inAll.forEach(habit -> habits.follow(habit, all));
    meetOnLateStreams(all);
    usePart(all);
    return all;
  }

  /** The barrier among the calls ends when the streams of all ranks have come there. */
  private void meetOnLateStreams(Communicator all) {
    int before = came.count - came.count % all.size();
    try (NativeMemory words = NativeMemory.allocate(2 * Long.BYTES);
        Stream late = all.device().newStream()) {
      all.device().waitValueAsync(late, words.address(), 1);
      DeviceBuffer buffer =
          DeviceBuffer.foreign(all.device(), words.address() + Long.BYTES, 1, DataType.I64);
      PlacedCall broadcast = all.calls().broadcast(buffer, buffer, 0);
      List<PlacedCall> calls = List.of(broadcast, PlacedCall.barrier());
      Work work = all.group(calls, CallOptions.STANDARD, late);
      habits.pause();
      came.count++;
      words.cell(0).setRelease(1);
      work.await(LONG);
      if (came.count < before + all.size()) {
        throw new AssertionError("a barrier has ended before all streams came");
      }
    }
  }

  /** What it leaves in the store is gone when all have closed it. */
  private void usePart(Communicator all) {
    Communicator part = all.split(all.rank() % 2, 0).orElseThrow();
    inPart.forEach(habit -> habits.follow(habit, part));
    try (Stream stream = all.device().newStream()) {
      Work last = barrier(part, stream);
      part.close();
      SimulatedRefusals.requireAll(part, stream, last);
      Work unused = barrier(all, stream);
      requireNoKeysOfParts();
    }
  }

  private static Work barrier(Communicator communicator, Stream stream) {
    Work barrier = communicator.barrier(stream);
    barrier.await(LONG);
    return barrier;
  }

  private void requireNoKeysOfParts() {
    InetSocketAddress address =
        new InetSocketAddress(environment.storeHost(), environment.storePort());
    try (TcpStore store = TcpStore.connect(address, environment.token(), Deadline.after(LONG))) {
      List<String> left =
          store.keys().stream()
              .filter(key -> key.contains("group-") && !key.contains(GroupFailures.placeOf(0)))
              .toList();
      if (!left.isEmpty()) {
        throw new AssertionError("all have closed a part, and these keys are left: " + left);
      }
    }
  }

  private static void abort(Communicator all, boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    all.abort();
    boolean unused = Thread.interrupted();
  }

  private static void hearOfAbort(Communicator all, Stream stream) {
    long beforeNs = System.nanoTime();
    try {
      all.barrier(stream).await(LONG);
    } catch (TomboloException e) {
      if (e.advice().communicatorUsable() || System.nanoTime() - beforeNs > TELLING_NS) {
        throw new AssertionError("another has aborted, and this comes of it", e);
      }
      return;
    }
    throw new AssertionError("a barrier has ended without the rank that aborted");
  }
}
