// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.launch.JoinedJob;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/**
 * One rank of an all_reduce of f32 by a {@link Communicator}, each call awaited before the next;
 * the candidates of {@code bench/peers/run} that show what a communicator adds to its vendor's
 * library.
 *
 * <p>Arguments: "blocking" or "queued", for how the calls are made, or "registered" for blocking
 * ones in registered memory; sizes in bytes. The job is the environment's. Each rank prints {@code
 * SIZE MEDIAN_US SLEEPS} for each, a line at once, as {@code bench/peers/times.h} does: {@code
 * SLEEPS} is how often the agent's thread went to sleep in a call, 0 where it took no part. Each
 * result is checked once.
 */
public final class CommunicatorCalls {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Until all of a call is worth compiling. */
  private static final int WARM_UP_CALLS = 30_000;

  /** Rests meanwhile, in which the compilers get on: a rank's calls may leave them no core. */
  private static final int RESTS = 3;

  /** No compilation takes so long, as a rule. */
  private static final long REST_NS = 300_000_000;

  private static final Duration LONGEST_REST = Duration.ofSeconds(10);

  /** Where ranks take turns on one device, a call takes milliseconds. */
  private static final Duration WARM_UP = Duration.ofSeconds(10);

  private static final int TIMED_CALLS = 20;

  /** In {@code /proc/self/task}. */
  private static final String AGENT = "tombolo-agent";

  private static final String SLEEPS = "voluntary_ctxt_switches:";

  private final Communicator communicator;
  private final CallOptions options;
  private final LongFunction<DeviceMemory> memory;
  private final Stream stream;

  private CommunicatorCalls(Communicator communicator, String how, Stream stream) {
    this.communicator = communicator;
    this.options = how.equals("queued") ? CallOptions.STANDARD : CallOptions.BLOCKING;
    this.memory =
        how.equals("registered")
            ? communicator::allocateRegistered
            : communicator.device()::allocate;
    this.stream = stream;
  }

  /** See the class. */
  public static void main(String[] args) {
    List<Long> sizes = Arrays.stream(args).skip(1).map(Long::valueOf).toList();
    try (JoinedJob job = JoinedJob.join(System.getenv());
        Communicator communicator = Communicator.join(job.environment());
        Stream stream = communicator.device().newStream()) {
      CommunicatorCalls calls = new CommunicatorCalls(communicator, args[0], stream);
      sizes.forEach(calls::measure);
    }
  }

  private void measure(long bytes) {
    int calls = (int) Math.max(7, Math.min(2000, 200_000_000 / (bytes + 20_000)));
    long[] times = new long[calls];
    long slept = 0;
    try (DeviceMemory in = memory.apply(bytes);
        DeviceMemory out = memory.apply(bytes);
        DeviceMemory host = communicator.device().allocatePinned(bytes)) {
      int warmUp = Math.max(calls / 4 + 2, bytes < 1 << 20 ? warmUpCalls(in, out, host) : 0);
      fill(NativeMemory.viewOf(host.address(), (int) bytes));
      copy(CopyDirection.HOST_TO_DEVICE, in, host);
      for (int i = -warmUp; i < calls; i++) {
        if (i < 0 && i % Math.max(1, warmUp / RESTS) == 0) {
          awaitCompilers();
        }
        slept = i == 0 ? agentSleeps() : slept;
        long from = System.nanoTime();
        call(in.address(), out.address(), bytes / Float.BYTES);
        if (i >= 0) {
          times[i] = System.nanoTime() - from;
        }
      }
      slept = agentSleeps() - slept;
      copy(CopyDirection.DEVICE_TO_HOST, host, out);
      check(NativeMemory.viewOf(host.address(), (int) bytes));
    }
    Arrays.sort(times);
    double median = times[calls / 2] / 1000.0;
    System.out.print("%d %.3f %.3f\n".formatted(bytes, median, (double) slept / calls)); // at once
  }

  /** Waits until nothing has been compiled for a while. */
  private static void awaitCompilers() {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    Deadline limit = Deadline.after(LONGEST_REST);
    long before = -1;
    while (compilers.getTotalCompilationTime() != before && !limit.isExpired()) {
      before = compilers.getTotalCompilationTime();
      LockSupport.parkNanos(REST_NS); // fixed time: a compilation counts when it has ended
    }
  }

  /** How often the agent's thread has gone to sleep so far. */
  private static long agentSleeps() {
    long sleeps = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path thread : threads) {
        sleeps += sleepsOfAgent(thread);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sleeps;
  }

  /** 0 if {@code thread} is another, or has ended meanwhile. */
  private static long sleepsOfAgent(Path thread) {
    try {
      if (!Files.readString(thread.resolve("comm")).strip().equals(AGENT)) {
        return 0;
      }
      return Files.readAllLines(thread.resolve("status")).stream()
          .filter(line -> line.startsWith(SLEEPS))
          .mapToLong(line -> Long.parseLong(line.substring(SLEEPS.length()).strip()))
          .sum();
    } catch (IOException e) {
      return 0;
    }
  }

  /** How many calls come before those that are timed; the same on all ranks. */
  private int warmUpCalls(DeviceMemory in, DeviceMemory out, DeviceMemory host) {
    call(in.address(), out.address(), 1); // the first one connects the ranks
    long from = System.nanoTime();
    for (int i = 0; i < TIMED_CALLS; i++) {
      call(in.address(), out.address(), 1);
    }
    long own = WARM_UP.toNanos() * TIMED_CALLS / (System.nanoTime() - from);
    NativeMemory.viewOf(host.address(), Long.BYTES).putLong(Math.min(own, WARM_UP_CALLS));
    copy(CopyDirection.HOST_TO_DEVICE, in, host);
    call(
        CollectiveCall.allReduce(1, DataType.I64, ReduceOp.MIN, false),
        in.address(),
        out.address());
    copy(CopyDirection.DEVICE_TO_HOST, host, out);
    return (int) NativeMemory.viewOf(host.address(), Long.BYTES).getLong();
  }

  private void call(long send, long receive, long count) {
    call(CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false), send, receive);
  }

  private void call(CollectiveCall call, long send, long receive) {
    communicator.call(new PlacedCall(call, send, receive), options, stream).await(LIMIT);
  }

  private void copy(CopyDirection direction, DeviceMemory to, DeviceMemory from) {
    communicator
        .device()
        .copyAsync(direction, to.address(), from.address(), from.sizeBytes(), stream);
    while (!stream.isIdle()) {
      Thread.onSpinWait();
    }
  }

  private void fill(ByteBuffer memory) {
    for (int i = 0; memory.hasRemaining(); i++) {
      memory.putFloat(element(communicator.rank(), i));
    }
  }

  private void check(ByteBuffer memory) {
    for (int i = 0; memory.hasRemaining(); i++) {
      float expected = 0;
      for (int rank = 0; rank < communicator.size(); rank++) {
        expected += element(rank, i);
      }
      float found = memory.getFloat();
      if (found != expected) {
        throw new IllegalStateException(
            "rank %d: element %d is %g, not %g".formatted(communicator.rank(), i, found, expected));
      }
    }
  }

  /** Small whole numbers: their sums are exact, whatever the order. */
  private static float element(int rank, int index) {
    return index % 1000 + rank;
  }
}
