// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.DeadlineExceededException;
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
final class StoppedRank implements AutoCloseable {
  /** Of waits that end by themselves. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private static final String PID = "pid";

  private final Communicator communicator;
  private final Finding finding;

  /** A connection of its own: the job's failure ends the waits of the communicator's. */
  private final Store desk;

  /**
   * How the others find it out.
   *
   * @param timeout of the calls
   * @param type of the error
   * @param words in it
   */
  private record Finding(
      Duration timeout, Class<? extends TomboloException> type, List<String> words) {
    static final Finding BY_SILENCE =
        new Finding(
            LIMIT,
            PeerFailedException.class,
            List.of(
                "rank 2 (pid %s on host ",
                " its process is stopped by a signal (SIGSTOP, Ctrl-Z); the last it said was that"
                    + " it had made "));

    static final Finding BY_A_DEADLINE =
        new Finding(
            Duration.ofSeconds(2),
            DeadlineExceededException.class,
            List.of(
                "not done in time: no vote from rank 2",
                "; the process of rank 2 (pid %s on host ",
                ") is stopped by a signal (SIGSTOP, Ctrl-Z)"));
  }

  private StoppedRank(Communicator communicator, Finding finding) {
    this.communicator = communicator;
    this.finding = finding;
    this.desk = communicator.session().openPlace().narrowedTo("stopped");
  }

  static StoppedRank foundBySilence(Communicator communicator) {
    return new StoppedRank(communicator, Finding.BY_SILENCE);
  }

  static StoppedRank foundByADeadline(Communicator communicator) {
    return new StoppedRank(communicator, Finding.BY_A_DEADLINE);
  }

  /** The victim's part where nobody has a communicator yet: it never goes on. */
  static void stopInTheJoin() {
    DeathInTheLibrary.whileJoining(
        () -> {
          signal("STOP", ProcessHandle.current().pid());
          return null;
        });
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
    TomboloException told = errorOf(call(finding.timeout()));
    check(told, pid);
    if (!finding.type().isInstance(told)) {
      throw told;
    }
    desk.set("told " + communicator.rank(), new byte[] {1});
    for (int rank = 0; rank < communicator.size() - 1; rank++) { // who looks later finds it running
      byte[] unused = desk.await("told " + rank, Deadline.after(LIMIT));
    }
    signal("CONT", pid);
  }

  @Override
  public void close() {
    desk.close();
  }

  private static TomboloException errorOf(Work work) {
    try {
      work.await(LIMIT);
    } catch (TomboloException e) {
      return e;
    }
    throw new AssertionError("a call ended well that a stopped rank takes part in");
  }

  private void check(TomboloException error, long pid) {
    System.out.println("TOLD " + error.getMessage());
    for (String words : finding.words()) {
      if (!error.getMessage().contains(words.formatted(pid))) {
        throw error;
      }
    }
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
  }

  private Work call() {
    return call(LIMIT);
  }

  private Work call(Duration timeout) {
    DeviceAdaptor device = communicator.device();
    long bytes = 64 * Float.BYTES;
    CollectiveCall sum = CollectiveCall.allReduce(64, DataType.F32, ReduceOp.SUM, false);
    return communicator.call(
        new PlacedCall(sum, device.allocate(bytes).address(), device.allocate(bytes).address()),
        CallOptions.STANDARD.withTimeout(timeout),
        device.newStream());
  }
}
