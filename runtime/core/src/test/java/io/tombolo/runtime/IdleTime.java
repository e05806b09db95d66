// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.util.concurrent.Uninterruptibles;
import com.sun.management.OperatingSystemMXBean;
import io.tombolo.adaptors.Stream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a rank takes of the processors while its communicators are open and nobody calls: processes
 * share hosts. It is processor time that counts, so it matters little that others are busy at the
 * same time; and one rest of some must do, as a JVM may still compile what ran before the first.
 */
final class IdleTime {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration REST = Duration.ofSeconds(1);
  private static final int RESTS = 6;

  /** So that what runs in a rest has been loaded. */
  private static final int CALLS = 20;

  /**
   * Of a rest: ten times what an agent takes that sleeps, and a third of what one takes that naps
   * for a millisecond at a time (docs/streams-and-threads.md). One that yields takes all of it.
   */
  private static final long MOST_OF_AGENT_NS = 5_000_000;

  /**
   * Of a rest, with all threads, native ones and the JVM's too: these look some times a second,
   * which is a few milliseconds. A single thread that does not sleep takes twenty times as much.
   */
  private static final long MOST_NS = 50_000_000;

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Communicator communicator;

  IdleTime(Communicator communicator) {
    this.communicator = communicator;
  }

  /** Opens a second communicator, calls in both, and then in none. */
  void check() {
    try (Communicator second = communicator.split(0, communicator.rank()).orElseThrow();
        Stream stream = communicator.device().newStream()) {
      for (int i = 0; i < CALLS; i++) {
        communicator.barrier(stream).await(LIMIT);
        second.barrier(stream).await(LIMIT);
      }
      communicator.meet(LIMIT);
      Rest rest = Rest.measured();
      for (int i = 1; i < RESTS && !rest.isQuiet(); i++) {
        rest = Rest.measured();
      }
      communicator.meet(LIMIT); // before it complains, as the others would wait for this rank
      if (!rest.isQuiet()) {
        throw new IllegalStateException("it does not rest: " + rest);
      }
    }
  }

  /**
   * Processor time that was taken in a rest.
   *
   * @param processNs by the process
   * @param byThreadNs by each of its threads that is ours, by name and number
   */
  private record Rest(long processNs, Map<String, Long> byThreadNs) {
    static Rest measured() {
      Map<String, Long> before = byThread();
      long beforeNs = SYSTEM.getProcessCpuTime();
      Uninterruptibles.sleepUninterruptibly(REST); // fixed time: a rest is what is measured
      long processNs = SYSTEM.getProcessCpuTime() - beforeNs;
      Map<String, Long> taken = byThread();
      taken.replaceAll((thread, ns) -> ns - before.getOrDefault(thread, 0L));
      return new Rest(processNs, taken);
    }

    private static Map<String, Long> byThread() {
      return Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getName().startsWith("tombolo-"))
          .collect(
              Collectors.toMap(
                  thread -> thread.getName() + " #" + thread.getId(),
                  thread -> THREADS.getThreadCpuTime(thread.getId()),
                  Long::sum,
                  TreeMap::new));
    }

    boolean isQuiet() {
      List<Long> agents =
          byThreadNs.entrySet().stream()
              .filter(thread -> thread.getKey().startsWith("tombolo-agent "))
              .map(Map.Entry::getValue)
              .toList();
      return agents.size() == 1 && agents.get(0) <= MOST_OF_AGENT_NS && processNs <= MOST_NS;
    }
  }
}
