// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.util.concurrent.Uninterruptibles;
import com.sun.management.ThreadMXBean;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * Counts what the agent's thread, its reducers and the thread that makes the calls allocate: the
 * last one drives the agent's duties while it waits. Nothing at rest, a few objects a call, and
 * nothing for a piece of a message. Only for ranks that have run a while: the first calls load
 * classes.
 */
final class AgentAllocations {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration REST = Duration.ofMillis(300);

  /** Enough to load all classes. */
  private static final int WARM_CALLS = 100;

  /** In each of the rounds. */
  private static final int CALLS = 80;

  private static final int LARGE_CALLS = 8;

  private static final int ROUNDS = 6;

  /** One object a round of the agent would be more. */
  private static final long MAX_AT_REST_BYTES = 2_000;

  /**
   * The call's vote, deadline, run and binding, 200 bytes when this was written, 500 for making it
   * and waiting for it, 200 for finding out what its buffers lie in, and what its thread allocates
   * where it falls asleep a few times.
   */
  private static final long MAX_CALL_BYTES = 1_200;

  /** What a thread allocates each time that it falls asleep. */
  private static final long SLEEP_BYTES = 40;

  /** How often it does so in a call of some milliseconds, while other tests use the cores, too. */
  private static final int MAX_LONG_SLEEPS = 20;

  /**
   * The pending message, its deadline and binding, 300 bytes, 1100 for making and waiting, 200 for
   * finding out what its buffer lies in, and what its thread allocates where it falls asleep.
   */
  private static final long MAX_MESSAGE_BYTES = 2_000;

  /** An object or two for each call of the vendor's library. */
  private static final long MAX_VENDOR_CALL_BYTES = 100;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final Communicator communicator;
  private final List<String> complaints = new ArrayList<>();
  private long[] counted;

  AgentAllocations(Communicator communicator) {
    this.communicator = communicator;
  }

  void check() {
    sum(2, WARM_CALLS);
    sum(1 << 19, 5);
    passOn(WARM_CALLS);
    requireReducers();
    counted = threadsToCount();
    check("a call of 8 bytes", CALLS, 2, 0);
    check("a call of 2 MiB", LARGE_CALLS, 1 << 19, MAX_LONG_SLEEPS);
    checkMessages(CALLS);
    checkRest();
    if (!complaints.isEmpty()) { // not before, as the others would wait for this rank
      throw new IllegalStateException("its threads allocated for " + complaints);
    }
  }

  private void check(String what, int calls, int count, int sleeps) {
    long each = least(() -> allocatedBy(() -> sum(count, calls))) / calls;
    long vendorBytes = vendorCalls(count) * MAX_VENDOR_CALL_BYTES;
    check(what, each, MAX_CALL_BYTES + sleeps * SLEEP_BYTES + vendorBytes);
  }

  private void checkMessages(int rounds) {
    long each = least(() -> allocatedBy(() -> passOn(rounds))) / (2L * rounds);
    check("a message", each, MAX_MESSAGE_BYTES);
  }

  private void checkRest() {
    long bytes =
        least(
            () -> {
              communicator.meet(LIMIT);
              return allocatedBy(AgentAllocations::rest);
            });
    communicator.meet(LIMIT);
    check("a rest of " + REST, bytes, MAX_AT_REST_BYTES);
  }

  private static void rest() {
    Uninterruptibles.sleepUninterruptibly(REST); // fixed time: a rest is what is measured
  }

  private long allocatedBy(Runnable work) {
    long before = allocatedBytes();
    work.run();
    return allocatedBytes() - before;
  }

  /**
   * What each call makes is made in every round. What only one round shows is the machine's: a
   * thread that slept more often as others had the cores, a class that was loaded late.
   */
  private static long least(LongSupplier measured) {
    return LongStream.generate(measured).limit(ROUNDS).min().orElseThrow();
  }

  private long vendorCalls(int count) {
    return communicator
        .plan(CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, true))
        .steps()
        .stream()
        .filter(step -> step.action() instanceof Action.IntraCall)
        .count();
  }

  private void check(String what, long bytes, long mostBytes) {
    if (bytes > mostBytes) {
      complaints.add(what + ": " + bytes + " bytes, more than " + mostBytes);
    }
  }

  private void sum(int count, int calls) {
    try (Stream stream = communicator.device().newStream();
        DeviceMemory memory = communicator.device().allocate((long) count * Float.BYTES)) {
      DeviceBuffer array = DeviceBuffer.of(communicator.device(), memory, DataType.F32);
      for (int i = 0; i < calls; i++) {
        communicator.allReduce(array, Reduction.sum(), stream).await(LIMIT);
      }
    }
  }

  /** One message to the next rank and one from the previous, round and round. */
  private void passOn(int rounds) {
    int next = (communicator.rank() + 1) % communicator.size();
    int previous = (communicator.rank() + communicator.size() - 1) % communicator.size();
    try (Stream stream = communicator.device().newStream();
        DeviceMemory memory = communicator.device().allocate(2L * Float.BYTES)) {
      DeviceBuffer both = DeviceBuffer.of(communicator.device(), memory, DataType.F32);
      DeviceBuffer first = both.slice(0, 1);
      DeviceBuffer second = both.slice(1, 1);
      for (int i = 0; i < rounds; i++) {
        Work sent = communicator.send(first, next, stream);
        communicator.receive(second, previous, stream).await(LIMIT);
        sent.await(LIMIT);
      }
    }
  }

  private long allocatedBytes() {
    return Arrays.stream(counted).map(threads::getThreadAllocatedBytes).sum();
  }

  /** Reducer threads start with the first large piece. To ask for them makes garbage, too. */
  private static long[] threadsToCount() {
    return LongStream.concat(
            LongStream.of(Thread.currentThread().getId()),
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("tombolo-(agent|reducer-.*)"))
                .mapToLong(Thread::getId))
        .toArray();
  }

  /** Where the host combines large pieces, their threads are to be counted too. */
  private void requireReducers() {
    if (communicator.reductions().startsWith("host")
        && Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().startsWith("tombolo-reducer-"))) {
      throw new IllegalStateException("nothing was handed to reducer threads");
    }
  }
}
