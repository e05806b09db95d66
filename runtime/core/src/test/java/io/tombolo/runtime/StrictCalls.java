// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.base.Strings;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Calls that need something new while streams are held: a device may wait for those streams. */
final class StrictCalls {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int SMALL = 16;
  private static final int MANY = 1 << 14;
  private static final int LARGE = 1 << 19;

  /** With four queues, as many urgent streams miss all of ours in one run of a hundred million. */
  private static final int TRIES = 64;

  private static final Set<String> WITH_RANKED_QUEUES = Set.of("emu-nvidia", "emu-amd");

  private final Communicator communicator;
  private final DeviceAdaptor device;
  private final boolean holds;
  private final CloseStack stack = new CloseStack();
  private final List<Work> works = new ArrayList<>();

  StrictCalls(Communicator communicator) {
    this.communicator = communicator;
    this.device = communicator.device();
    this.holds =
        WITH_RANKED_QUEUES.contains(
                communicator.clustering().clusterOf(communicator.rank()).vendor())
            && Strings.isNullOrEmpty(System.getenv("TOMBOLO_EMU_UNKIND"));
  }

  /** Each needs more memory than those before it, which are not awaited. */
  void grow() {
    for (int count = 1; count <= LARGE; count *= 8) {
      sum(count);
    }
    List<PlacedCall> calls = new ArrayList<>();
    for (int i = 0; i < SMALL; i++) {
      DeviceBuffer part = buffer(SMALL * SMALL);
      calls.add(communicator.calls().allReduce(part, part, Reduction.sum()));
    }
    works.add(communicator.group(calls, CallOptions.STANDARD, stream()));
    finish();
  }

  /** All receive before they send, so that nobody's memory may wait for a receive. */
  void passOn() {
    int rank = communicator.rank();
    int size = communicator.size();
    for (int count : new int[] {1, SMALL, LARGE}) {
      DeviceBuffer in = buffer(count);
      DeviceBuffer out = buffer(count);
      works.add(communicator.receive(in, (rank + size - 1) % size, stream()));
      works.add(communicator.send(out, (rank + 1) % size, newStream()));
      works.forEach(work -> work.await(LIMIT));
    }
    finish();
  }

  void sumWhileAPeerIsLate() {
    DeviceBuffer summed = buffer(1);
    callWhileAPeerIsLate(stream -> communicator.allReduce(summed, Reduction.sum(), stream));
  }

  /** So much that a library may take another algorithm than for the first calls. */
  void sumMuchWhileAPeerIsLate() {
    DeviceBuffer summed = buffer(MANY);
    callWhileAPeerIsLate(stream -> communicator.allReduce(summed, Reduction.sum(), stream));
  }

  void broadcastWhileAPeerIsLate() {
    DeviceBuffer sent = buffer(1);
    callWhileAPeerIsLate(stream -> communicator.broadcast(sent, 0, stream));
  }

  /** Between the members of a cluster this is sends and receives of the vendor's library. */
  void exchangeWhileAPeerIsLate() {
    DeviceBuffer out = buffer(communicator.size());
    DeviceBuffer in = buffer(communicator.size());
    callWhileAPeerIsLate(stream -> communicator.allToAll(out, in, stream));
  }

  /** Rank 1 comes to the first collective only when rank 0, which is in it, has its message. */
  private void callWhileAPeerIsLate(Function<Stream, Work> first) {
    DeviceBuffer message = buffer(1);
    Stream stream = stream();
    if (communicator.rank() == 1) {
      works.add(communicator.send(message, 0, stream));
    }
    works.add(first.apply(stream));
    if (communicator.rank() == 0) {
      works.add(communicator.receive(message, 1, newStream()));
    }
    finish();
  }

  /** Gives a communicator back while others than rank 0 are in a call on the other one. */
  void closeOne() {
    Communicator second = communicator.split(0, 0).orElseThrow();
    DeviceBuffer one = buffer(1);
    second.allReduce(one, Reduction.sum(), stream()).await(LIMIT);
    if (communicator.rank() == 0) {
      second.close();
      sum(1);
    } else {
      sum(1);
      second.close();
    }
    finish();
  }

  /** Right after joining, where who frees locks out others; {@code job} is what its store shows. */
  void checkThatTheRoutesSayWhy(RunningJob job) {
    String why = "while a thread frees memory, this driver lets no other one queue work";
    checkThatTheRoutesSay(why);
    Presence own = job.presences().get(communicator.rank());
    checkState(
        own.hostOrder().equals(Optional.of(why))
            && own.routes().values().stream().noneMatch(route -> route.contains(why)),
        "not told apart: %s",
        own);
    finish();
  }

  /** From the first call on. */
  void checkThatTheRoutesTellOfSharedQueues() {
    checkThatTheRoutesSayNothing();
    sum(1);
    checkThatTheRoutesSay("callers' streams share hardware queues with ours");
    finish();
  }

  /** From the first call on a stream that is in one of our queues; another one is still held. */
  void checkThatTheRoutesTellOfAStreamThatIsNotHeld() {
    sum(1);
    checkThatTheRoutesSayNothing();
    Stream urgent = stack.opened(device.newUrgentStream());
    for (int i = 1; i < TRIES && !communicator.isHostOrdered(urgent); i++) {
      urgent = stack.opened(device.newUrgentStream());
    }
    works.add(communicator.allReduce(buffer(1), Reduction.sum(), urgent));
    checkThatTheRoutesSay("a caller's stream is in a hardware queue with one of ours");
    sum(1);
    finish();
  }

  private void checkThatTheRoutesSay(String why) {
    checkState(
        communicator.hostOrder().equals(Optional.of(why))
            && communicator.routes().values().stream()
                .allMatch(route -> route.endsWith("; calls in the host's order: " + why)),
        "routes that do not tell: %s, %s",
        communicator.hostOrder(),
        communicator.routes());
  }

  private void checkThatTheRoutesSayNothing() {
    checkState(
        communicator.hostOrder().isEmpty()
            && communicator.routes().values().stream()
                .noneMatch(route -> route.contains("host's order")),
        "routes that tell what has not been seen: %s, %s",
        communicator.hostOrder(),
        communicator.routes());
  }

  /** Another thread allocates and frees all the while, as frameworks do. */
  void callWhileAThreadFrees() throws InterruptedException {
    AtomicBoolean ended = new AtomicBoolean();
    Thread frees =
        new Thread(
            () -> {
              while (!ended.get()) {
                device.allocate(Float.BYTES).close();
              }
            },
            "frees");
    frees.setDaemon(true);
    frees.start();
    for (int i = 0; i < SMALL; i++) {
      sum(i % 2 == 0 ? LARGE : 1);
    }
    works.forEach(work -> work.await(LIMIT));
    ended.set(true);
    frees.join();
    finish();
  }

  /** Which is held: whoever waits for it waits for the call, and the call for our own streams. */
  void callOnTheLegacyStream() {
    Stream legacy = stack.opened(device.streamOf(0));
    checkState(!communicator.isHostOrdered(legacy), "the legacy stream is not held: %s", legacy);
    for (int count : new int[] {1, SMALL, LARGE}) {
      works.add(communicator.allReduce(buffer(count), Reduction.sum(), legacy));
    }
    finish();
  }

  private void sum(int count) {
    works.add(communicator.allReduce(buffer(count), Reduction.sum(), stream()));
  }

  private DeviceBuffer buffer(int count) {
    DeviceMemory memory = stack.opened(device.allocate((long) count * Float.BYTES));
    return DeviceBuffer.of(device, memory, DataType.F32);
  }

  /**
   * Where one can be held, the first is: else calls would pass that need nothing of what is tried.
   * With calls under way that wait for a peer, the answer may be no, which is safe.
   */
  private Stream stream() {
    Stream stream = newStream();
    checkState(
        !holds || !works.isEmpty() || !communicator.isHostOrdered(stream),
        "%s is not held",
        stream);
    return stream;
  }

  private Stream newStream() {
    return stack.opened(device.newStream());
  }

  private void finish() {
    works.forEach(work -> work.await(LIMIT));
    stack.close();
    new EveryCall(communicator).run(1003, 0);
  }
}
