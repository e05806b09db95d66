// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** One rank is stopped by a signal; the others find that out, and then let it go on. */
final class StoppedRank {
  /** Of waits that end by themselves. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private static final String PID = "pid";

  private final Communicator communicator;
  private final Store desk;

  StoppedRank(Communicator communicator) {
    this.communicator = communicator;
    this.desk = communicator.session().store().within("stopped");
  }

  /** The victim's part: when it goes on, it hears what the others think of it. */
  void stop() throws IOException, InterruptedException {
    call().await(LIMIT);
    long pid = ProcessHandle.current().pid();
    desk.set(PID, Long.toString(pid).getBytes(UTF_8));
    signal("STOP", pid);
    DeathInTheLibrary.await("the failure", () -> communicator.failure().isPresent());
    check(communicator.failure().orElseThrow(), pid);
    try {
      call().await(LIMIT);
    } catch (TomboloException e) {
      return;
    }
    throw new AssertionError("a call ended well after the communicator had failed");
  }

  /** The others' part: their call ends, long before its deadline. */
  void survive() throws IOException, InterruptedException {
    call().await(LIMIT);
    long pid = Long.parseLong(new String(desk.await(PID, Deadline.after(LIMIT)), UTF_8));
    TomboloException told = errorOf(call());
    check(told, pid);
    if (!(told instanceof PeerFailedException)) {
      throw told;
    }
    signal("CONT", pid);
  }

  private static TomboloException errorOf(Work work) {
    try {
      work.await(LIMIT);
    } catch (TomboloException e) {
      return e;
    }
    throw new AssertionError("a call ended well that a stopped rank takes part in");
  }

  private static void check(TomboloException error, long pid) {
    System.out.println("TOLD " + error.getMessage());
    List<String> parts =
        List.of(
            "rank 2 (pid " + pid + " on host ",
            " its process is stopped by a signal (SIGSTOP, Ctrl-Z); the last it said was that it"
                + " had made ");
    if (!parts.stream().allMatch(error.getMessage()::contains)) {
      throw error;
    }
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
  }

  private Work call() {
    DeviceAdaptor device = communicator.device();
    long bytes = 64 * Float.BYTES;
    CollectiveCall sum = CollectiveCall.allReduce(64, DataType.F32, ReduceOp.SUM, false);
    return communicator.call(
        new PlacedCall(sum, device.allocate(bytes).address(), device.allocate(bytes).address()),
        CallOptions.STANDARD,
        device.newStream());
  }
}
