// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.LongCell;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A call of the vendor's library does not come back to the agent, at all members. */
final class StuckCall {
  /** Elements of the call that the emulated library is told to keep. */
  static final long COUNT = 4099;

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Communicator communicator;
  private final DeviceAdaptor device;
  private final DeviceMemory memory;
  private final Stream stream;

  StuckCall(Communicator communicator) {
    this.communicator = communicator;
    this.device = communicator.device();
    this.memory = device.allocate(COUNT * Float.BYTES);
    this.stream = device.newStream();
  }

  /** Its deadline ends it, and what came after it; nothing brings the agent back. */
  void endByDeadline() {
    Communicator other = communicator.duplicate();
    Stream idle = device.newStream(); // made first: an allocation waits for streams that are held
    DeathInTheLibrary.awaitOthers(communicator); // whose votes are in, so that ours is not late
    Work work = call(COUNT, CallOptions.STANDARD.withTimeout(SHORT), stream);
    TomboloException nextError =
        errorOf(() -> call(COUNT / 2, CallOptions.STANDARD.withTimeout(LONG), idle));
    TomboloException error = errorOf(() -> work);
    check(
        error instanceof DeadlineExceededException
            && error
                .getMessage()
                .startsWith(
                    "rank %d: all_reduce of 4099 f32 by sum (#1, 16396 bytes, "
                        .formatted(communicator.rank()))
            && error.getMessage().contains("ncclAllReduce of ")
            && error.getMessage().contains("tombolo-agent has been in for "),
        error);
    check(!work.buffersReleased(), error);
    check(nextError.getMessage().contains("ncclAllReduce of "), nextError);
    other.close();
    communicator.close();
    check(DeathInTheLibrary.isAnyIn("collective0"), "the agent came back from a stuck call");
  }

  /** The other members' part in {@link #endByDeadline}. */
  void hearOfTheDeadline() {
    Communicator other = communicator.duplicate();
    Work work = call(COUNT, CallOptions.STANDARD.withTimeout(LONG), stream);
    DeathInTheLibrary.tellVictim(communicator);
    TomboloException error = errorOf(() -> work);
    check(
        error instanceof DeadlineExceededException
            && error.getMessage().contains("ncclAllReduce of "),
        error);
    other.close();
    communicator.close();
  }

  /**
   * The caller itself is in the library, which its deadline brings it back from; with {@code busy},
   * on a stream that has not reached the call.
   */
  void bringCallerBack(boolean busy) {
    meet();
    LongCell word = device.newWords(1).get(0);
    if (busy) {
      device.waitValueAsync(stream, word.address(), 1);
    }
    DeathInTheLibrary.awaitOthers(communicator); // whose votes are in, so that ours is not late
    TomboloException error =
        errorOf(() -> call(COUNT, CallOptions.STANDARD.withTimeout(SHORT), stream));
    check(
        error instanceof DeadlineExceededException
            && error.getMessage().contains("ncclAllReduce of ")
            && error.getMessage().contains(Thread.currentThread().getName() + " has been in for "),
        error);
    word.setRelease(1);
    communicator.close();
  }

  /** The other members' part in {@link #bringCallerBack}. */
  void comeBackToo() {
    meet();
    CompletableFuture<Work> made = inside(CallOptions.STANDARD.withTimeout(LONG));
    DeathInTheLibrary.tellVictim(communicator);
    TomboloException error = errorOf(made::join);
    check(error instanceof DeadlineExceededException, error); // though the library sees an abort
    communicator.close();
  }

  /** The first call may register memory, which waits for streams that are held. */
  private void meet() {
    call(1, CallOptions.STANDARD, stream).await(LIMIT);
  }

  /** All members' part where an abort does nothing: whoever looks from outside is told. */
  void leaveCallerBehind() {
    CompletableFuture<Work> made = inside(CallOptions.STANDARD.withTimeout(SHORT));
    DeathInTheLibrary.await("the failure", () -> communicator.failure().isPresent());
    TomboloException error = communicator.failure().orElseThrow();
    check(error instanceof DeadlineExceededException, error);
    communicator.close();
    check(!made.isDone(), "the caller came back from a call that is never aborted");
  }

  /** A call whose caller, another thread, does not come back. */
  private CompletableFuture<Work> inside(CallOptions options) {
    CompletableFuture<Work> made = new CompletableFuture<>();
    Thread caller = new Thread(() -> made.complete(call(COUNT, options, stream)), "caller");
    caller.setDaemon(true);
    caller.start();
    DeathInTheLibrary.await("the call", () -> DeathInTheLibrary.isAnyIn("collective0"));
    return made;
  }

  /** A thread that is interrupted aborts it, long before its deadline. */
  void endByAbort() {
    CompletableFuture<Work> made = inside(CallOptions.STANDARD.withTimeout(LONG));
    Thread.currentThread().interrupt();
    communicator.abort();
    check(Thread.interrupted(), "the thread is no longer interrupted");
    checkAborted(made::join);
  }

  /** The other members' part in {@link #endByAbort}; they may call after it. */
  void hearOfTheAbort() {
    checkAborted(() -> call(COUNT, CallOptions.STANDARD.withTimeout(LONG), stream));
  }

  private void checkAborted(Supplier<Work> call) {
    TomboloException error = errorOf(call);
    check(error instanceof AbortedException && error.getMessage().contains(" aborted"), error);
    communicator.close();
    DeathInTheLibrary.await("its caller", () -> !DeathInTheLibrary.isAnyIn("collective0"));
  }

  private Work call(long count, CallOptions options, Stream on) {
    CollectiveCall sum = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, true);
    return communicator.call(new PlacedCall(sum, memory.address(), memory.address()), options, on);
  }

  private static TomboloException errorOf(Supplier<Work> call) {
    try {
      call.get().await(LIMIT);
    } catch (TomboloException e) {
      return e;
    }
    throw new AssertionError("a call ended well that was to be stuck");
  }

  private static void check(boolean holds, Object found) {
    if (!holds) {
      throw new AssertionError(List.of(found).toString());
    }
  }
}
