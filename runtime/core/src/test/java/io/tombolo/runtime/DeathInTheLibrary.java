// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * One rank dies while the others are in a call of a library that cannot abort, and that waits for
 * it: it has voted, so that they went in, but its own stream never got to the call.
 */
final class DeathInTheLibrary {
  /** Of the victim. */
  static final int EXIT_CODE = 77;

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long COUNT = 1000;

  private final Communicator communicator;
  private final DeviceAdaptor device;

  DeathInTheLibrary(Communicator communicator) {
    this.communicator = communicator;
    this.device = communicator.device();
  }

  /** The victim's part where nobody has a communicator yet: it dies while it joins the others. */
  static void dieInTheJoin() {
    whileJoining(
        () -> {
          Runtime.getRuntime().halt(EXIT_CODE);
          return null;
        });
  }

  /** Does {@code end} on a thread of its own when this process is in its library's join. */
  static void whileJoining(Callable<Void> end) {
    Thread thread =
        new Thread(
            () -> {
              await("the library to be joined", () -> isAnyIn("join0"));
              try {
                end.call();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            },
            "end");
    thread.setDaemon(true);
    thread.start();
  }

  /** The victim's part: it is dead before this returns. */
  void die() {
    LongCell word = device.newWords(1).get(0);
    Stream held = device.newStream();
    device.waitValueAsync(held, word.address(), 1);
    Work work = call(CallOptions.STANDARD, held);
    await("the vote", () -> communicator.activity().votes() > 0);
    awaitOthers(communicator);
    System.out.println("dying, and done: " + work.isDone());
    System.out.flush();
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  /** The others' part, queued: whoever awaits the work gets the error. */
  void surviveQueued() {
    Work work = call(CallOptions.STANDARD, device.newStream());
    await("the library to be called", () -> isAnyIn("collective0"));
    tellVictim(communicator);
    try {
      work.await(LIMIT);
    } catch (TomboloException e) {
      check(e, work);
    }
  }

  /** Says that this rank is where it cannot come back from without the victim. */
  static void tellVictim(Communicator communicator) {
    inLibrary(communicator).set(Integer.toString(communicator.rank()), new byte[] {1});
  }

  /** Waits until all other ranks have said so. */
  static void awaitOthers(Communicator communicator) {
    List<String> others =
        IntStream.range(0, communicator.size())
            .filter(rank -> rank != communicator.rank())
            .mapToObj(Integer::toString)
            .toList();
    Object unused = inLibrary(communicator).awaitAll(others, Deadline.after(LIMIT));
  }

  private static Store inLibrary(Communicator communicator) {
    return communicator.session().store().within("in-the-library");
  }

  /** The others' part on the caller's thread, which stays in the library. */
  void surviveBlocking() {
    Stream stream = device.newStream();
    Thread caller = new Thread(() -> call(CallOptions.BLOCKING, stream), "caller");
    caller.setDaemon(true);
    caller.start();
    await("the library to be called", () -> isIn(caller.getStackTrace(), "collective0"));
    tellVictim(communicator);
    await("the failure", () -> communicator.failure().isPresent());
    check(communicator.failure().orElseThrow(), null);
    if (!isIn(caller.getStackTrace(), "collective0")) {
      throw new AssertionError("the caller came back from a library that cannot abort");
    }
  }

  private Work call(CallOptions options, Stream stream) {
    long bytes = COUNT * Float.BYTES;
    CollectiveCall sum = CollectiveCall.allReduce(COUNT, DataType.F32, ReduceOp.SUM, false);
    return communicator.call(
        new PlacedCall(sum, device.allocate(bytes).address(), device.allocate(bytes).address()),
        options,
        stream);
  }

  private void check(TomboloException error, Work work) {
    System.out.println("TOLD " + error.getClass().getSimpleName() + ": " + error.getMessage());
    if (!(error instanceof PeerFailedException)) {
      throw error;
    }
    String call =
        "rank %d: all_reduce of %d f32 by sum (#1, %d bytes, "
            .formatted(communicator.rank(), COUNT, COUNT * Float.BYTES);
    if (work != null && !error.getMessage().startsWith(call)) {
      throw new AssertionError("which call? " + error.getMessage());
    }
    if (work != null && work.buffersReleased()) {
      throw new AssertionError("the library may still use the buffers");
    }
  }

  /** Whether a thread is in this function of the library. */
  static boolean isAnyIn(String function) {
    return Thread.getAllStackTraces().values().stream().anyMatch(stack -> isIn(stack, function));
  }

  private static boolean isIn(StackTraceElement[] stack, String function) {
    return stack.length > 0
        && stack[0].getClassName().endsWith(".CclNative")
        && stack[0].getMethodName().equals(function);
  }

  static void await(String what, BooleanSupplier condition) {
    Deadline deadline = Deadline.after(LIMIT);
    while (!condition.getAsBoolean()) {
      if (deadline.isExpired()) {
        throw new AssertionError("waited in vain for " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
