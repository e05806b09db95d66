// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Calls that go straight onto their caller's stream, in jobs of processes. */
final class PassedCalls {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int ROUNDS = 40;
  private static final int COUNT = 1003;
  private static final int ABORTS = 30;

  private final Communicator communicator;

  PassedCalls(Communicator communicator) {
    this.communicator = communicator;
  }

  /**
   * Sums of all ranks and of those of one vendor, by turns, each of what the last one left: on one
   * stream, on which nobody waits for anything.
   */
  void besideOthers() {
    Communicator own = communicator.split(isOfFirstVendor() ? 0 : 1, 0).orElseThrow();
    try (Stream stream = communicator.device().newStream();
        DeviceArray array = new DeviceArray(communicator.device(), stream, COUNT * Long.BYTES)) {
      for (int i = 0; i < COUNT; i++) {
        array.bytes().putLong(i * Long.BYTES, communicator.rank() + 1);
      }
      array.upload();
      Deque<Work> works = new ArrayDeque<>();
      for (int round = 0; round < ROUNDS; round++) {
        works.add(sum(communicator, array.address(), stream));
        works.add(sum(own, array.address(), stream));
        works.add(sum(own, array.address(), stream));
      }
      works.forEach(work -> work.await(LIMIT));
      array.download();
      long expected = expected();
      for (int i = 0; i < COUNT; i++) {
        long found = array.bytes().getLong(i * Long.BYTES);
        if (found != expected) {
          throw new IllegalStateException("element %d is %d, not %d".formatted(i, found, expected));
        }
      }
    }
    own.close();
  }

  private static Work sum(Communicator among, long address, Stream stream) {
    CollectiveCall sum = CollectiveCall.allReduce(COUNT, DataType.I64, ReduceOp.SUM, true);
    return among.call(new PlacedCall(sum, address, address), CallOptions.STANDARD, stream);
  }

  private boolean isOfFirstVendor() {
    return communicator.clustering().clusterOf(communicator.rank()).index() == 0;
  }

  /** As the ranks compute it, wrapping as they do. */
  private long expected() {
    int size = communicator.size();
    long[] values = new long[size];
    Arrays.setAll(values, rank -> rank + 1);
    for (int round = 0; round < ROUNDS; round++) {
      Arrays.fill(values, Arrays.stream(values).sum());
      for (int rank = 0; rank < size; rank++) {
        int members = communicator.clustering().clusterOf(rank).size();
        values[rank] *= (long) members * members;
      }
    }
    return values[communicator.rank()];
  }

  /**
   * One rank's other thread aborts communicators while all ranks make calls on them: each call ends
   * well, or soon by the abort, whatever the library says of that, and the library is not used
   * after.
   */
  void stormOfAborts(long seed) {
    Random shared = new Random(seed);
    for (int round = 0; round < ABORTS; round++) {
      int aborter = shared.nextInt(communicator.size());
      long delayNs = shared.nextInt(2_000_000);
      TomboloException error = abortOnce(round, communicator.rank() == aborter, delayNs);
      if (!(error instanceof AbortedException)) {
        throw new AssertionError("round " + round + ", seed " + seed, error);
      }
    }
    communicator.barrier(communicator.device().newStream()).await(LIMIT);
  }

  /** How this rank's calls end; the abort may come while it still makes the communicator. */
  private TomboloException abortOnce(int round, boolean aborts, long delayNs) {
    Communicator victim;
    try {
      victim = communicator.duplicate("round " + round);
    } catch (AbortedException e) {
      return e;
    }
    CompletableFuture<TomboloException> ended = new CompletableFuture<>();
    Thread caller = new Thread(() -> ended.complete(callUntilItFails(victim)), "caller");
    caller.setDaemon(true);
    caller.start();
    if (aborts) {
      LockSupport.parkNanos(delayNs); // fixed time: aborts are to come at any moment
      victim.abort();
    }
    TomboloException error = ended.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    victim.close();
    return error;
  }

  /**
   * Rank 1 comes to the call only when rank 0 has had the call's own stream wait for it, which is
   * held by the call itself.
   */
  void haveItsOwnStreamWait() {
    try (Stream stream = communicator.device().newStream();
        Stream other = communicator.device().newStream();
        DeviceMemory memory = communicator.device().allocate(COUNT * (long) Long.BYTES);
        DeviceMemory token = communicator.device().allocate(Long.BYTES)) {
      DeviceBuffer message = DeviceBuffer.of(communicator.device(), token, DataType.I64);
      pass(message, other); // the first message has memory made, which waits for what is under way
      if (communicator.rank() == 0) {
        Work work = sum(communicator, memory.address(), stream);
        work.makeWait(stream);
        checkState(!work.isDone(), "rank 1 has not come yet");
        pass(message, other);
        work.await(LIMIT);
      } else {
        pass(message, other);
        sum(communicator, memory.address(), stream).await(LIMIT);
      }
    }
  }

  private void pass(DeviceBuffer message, Stream stream) {
    Work work =
        communicator.rank() == 0
            ? communicator.send(message, 1, stream)
            : communicator.receive(message, 0, stream);
    work.await(LIMIT);
  }

  /** Who only asks the stream has not left anything half done when it closes. */
  void leaveAfterTheStream() {
    for (int round = 0; round < ABORTS; round++) {
      Communicator other = communicator.duplicate("round " + round);
      try (Stream stream = communicator.device().newStream();
          DeviceMemory memory = communicator.device().allocate(COUNT * (long) Long.BYTES)) {
        Work work = sum(other, memory.address(), stream);
        while (!stream.isIdle()) {
          Thread.onSpinWait();
        }
        other.close();
        if (other.failure().isPresent() || !work.isDone() || work.error().isPresent()) {
          throw new AssertionError("round " + round + ": " + other.failure());
        }
      }
    }
  }

  private static TomboloException callUntilItFails(Communicator victim) {
    Stream stream = victim.device().newStream();
    DeviceMemory memory = victim.device().allocate(COUNT * (long) Long.BYTES);
    try {
      for (int call = 0; true; call++) {
        Work work = sum(victim, memory.address(), stream);
        if (call % 4 == 3) {
          work.await(LIMIT);
        }
      }
    } catch (TomboloException e) {
      return e;
    }
  }
}
