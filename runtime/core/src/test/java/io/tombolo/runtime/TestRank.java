// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.group.ProcessGroup;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ImaginedRanks;
import io.tombolo.runtime.launch.PooledRank;
import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Relays;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What one rank of the jobs in tests runs; the first argument says how it behaves. */
public final class TestRank {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long[] COUNTS = {0, 1, 3, 61, 100_001};
  private static final int POISON = 0x5A;

  private final Communicator communicator;
  private final ImmutableSortedMap<String, String> settings;
  private CallOptions options = CallOptions.STANDARD;
  private long plannedIntra;
  private long plannedCross;

  private TestRank(Communicator communicator, ImmutableSortedMap<String, String> settings) {
    this.communicator = communicator;
    this.settings = settings;
  }

  /**
   * Joins, behaves, and halts: a vendor library may be stuck and must not keep the process. Without
   * arguments, a rank of one job after another.
   */
  public static void main(String[] arguments) throws IOException {
    int code = 0;
    if (arguments.length == 0) {
      PooledRank.serve(TestRank::run);
    } else {
      code = run(System.getenv(), ImmutableList.copyOf(arguments));
    }
    System.out.flush();
    Runtime.getRuntime().halt(code);
  }

  private static int run(Map<String, String> variables, ImmutableList<String> arguments) {
    try {
      JobEnvironment environment = JobEnvironment.from(variables);
      String behaviour = arguments.get(0);
      boolean odd = environment.rank() == Integer.parseInt(arguments.get(1));
      if (behaviour.equals("absent") && odd) {
        awaitFailureOfOthers(environment);
      }
      if (behaviour.equals("die in the join") && odd) {
        DeathInTheLibrary.dieInTheJoin();
      }
      if (behaviour.equals("stop in the join") && odd) {
        StoppedRank.stopInTheJoin();
      }
      if (behaviour.equals("new")) {
        SurvivingRank.comeAnew(variables);
        return 0;
      }
      if (behaviour.equals("protocol") && odd) {
        environment = JobEnvironment.from(withProtocol(variables, "3"));
      }
      if (behaviour.equals("survive without the store")) {
        environment = OwnStore.of(environment);
      }
      try (Communicator communicator = Communicator.join(environment)) {
        new TestRank(communicator, environment.settings()).run(behaviour, odd);
      }
      return 0;
    } catch (TomboloException e) {
      System.err.println(e.getClass().getSimpleName() + ": " + e.getMessage());
    } catch (Throwable e) {
      System.err.println(Throwables.getStackTraceAsString(e));
    }
    return 1;
  }

  private static void awaitFailureOfOthers(JobEnvironment environment) {
    try (Store store = environment.openStore()) {
      DeathInTheLibrary.await("the failure", () -> FailureWatch.first(store).isPresent());
    }
  }

  private static Map<String, String> withProtocol(Map<String, String> variables, String version) {
    Map<String, String> changed = new HashMap<>(variables);
    changed.put(JobEnvironment.variableOf("protocol"), version);
    return changed;
  }

  private void run(String behaviour, boolean odd) throws IOException, InterruptedException {
    switch (behaviour) {
      case "sums" -> {
        planAsImagined();
        sums();
      }
      case "sums while a NIC dies" -> {
        sums();
        DeadNic.tell(settings);
        sums();
      }
      case "flat" -> {
        planAsImagined();
        requireFlat(true);
        sums();
      }
      case "between clusters" -> {
        planAsImagined();
        requireFlat(false);
        sums();
      }
      case "blocking" -> {
        options = CallOptions.BLOCKING;
        sums();
      }
      case "blocking mismatch" -> {
        options = CallOptions.BLOCKING;
        call(odd ? 101 : 100, DataType.F32, ReduceOp.SUM, false);
      }
      case "everything" -> {
        new EveryCall(communicator).run();
        new RoundedSums(communicator).run();
      }
      case "types" -> {
        types();
        new RoundedSums(communicator).run();
      }
      case "doubling" -> {
        doubles();
        sums();
        new EveryCall(communicator).run(1003, 0);
        new RoundedSums(communicator).run();
      }
      case "uneven relays" -> {
        if (communicator.context().relays().stream().allMatch(TestRank::isEven)) {
          throw new IllegalStateException("even relays: " + communicator.context().relays());
        }
        sums();
      }
      case "direct" -> {
        sums();
        direct();
      }
      case "direct messages" -> new DirectMessages(communicator).run();
      case "direct messages out" -> new DirectMessages(communicator).runLossy();
      case "direct vectors" -> new DirectVectors(communicator, DirectVectors.Staged.COMBINED).run();
      case "direct vectors out" ->
          new DirectVectors(communicator, DirectVectors.Staged.COMING).run();
      case "direct vectors by the device" ->
          new DirectVectors(
                  communicator, odd ? DirectVectors.Staged.ALL : DirectVectors.Staged.NONE)
              .run();
      case "other device" -> new OtherDevice(communicator).run();
      case "planned copies" -> new PlannedCopies(communicator, settings).run();
      case "pinned calls" -> new PinnedCalls(communicator).run();
      case "pinned vectors" ->
          new DirectVectors(
                  communicator, odd ? DirectVectors.Staged.COMBINED : DirectVectors.Staged.NONE)
              .run();
      case "pinned death" -> {
        new PinnedCalls(communicator).open();
        new DirectMessages(communicator).breakOff(1, true);
      }
      case "pinned abort by the receiver" -> {
        new PinnedCalls(communicator).open();
        new DirectMessages(communicator).breakOff(0, false);
      }
      case "pinned abort by the sender" -> {
        new PinnedCalls(communicator).open();
        new DirectMessages(communicator).breakOff(1, false);
      }
      case "direct death" -> new DirectMessages(communicator).breakOff(1, true);
      case "direct abort by the receiver" -> new DirectMessages(communicator).breakOff(0, false);
      case "direct abort by the sender" -> new DirectMessages(communicator).breakOff(1, false);
      case "direct everything" ->
          new EveryCall(communicator).run(50_003, 0, communicator.size() - 1);
      case "reductions by the device" -> new EveryReduction(communicator, true).run();
      case "reductions by the host" -> new EveryReduction(communicator, false).run();
      case "bad input" -> new BadInput(communicator).run();
      case "exhausted" -> new ExhaustedDevice(communicator).run(odd);
      case "without scratch" -> new ExhaustedDevice(communicator).runWithoutScratch(odd);
      case "strict growth" -> new StrictCalls(communicator).grow();
      case "strict messages" -> new StrictCalls(communicator).passOn();
      case "strict first call" -> new StrictCalls(communicator).sumWhileAPeerIsLate();
      case "strict first broadcast" -> new StrictCalls(communicator).broadcastWhileAPeerIsLate();
      case "strict first large call" -> new StrictCalls(communicator).sumMuchWhileAPeerIsLate();
      case "strict first exchange" -> new StrictCalls(communicator).exchangeWhileAPeerIsLate();
      case "strict capture" -> new CapturedCalls(communicator).run();
      case "strict legacy" -> new StrictCalls(communicator).callOnTheLegacyStream();
      case "strict frees" -> new StrictCalls(communicator).callWhileAThreadFrees();
      case "strict routes" -> new StrictCalls(communicator).checkThatTheRoutesSayWhy();
      case "strict close" -> new StrictCalls(communicator).closeOne();
      case "stream order" -> new StreamOrder(communicator).run();
      case "huge" -> new HugeSum(communicator).run();
      case "split" -> split();
      case "group" -> new EveryGroupCall(new ProcessGroup(communicator, "all")).run();
      case "uneven" -> uneven();
      case "garbage" -> new AgentAllocations(communicator).check();
      case "planned unlike" -> {
        TestTuner.choose(odd ? Algorithm.DIRECT : Algorithm.PIECES);
        call(100, DataType.F32, ReduceOp.SUM, false);
      }
      case "mismatch" -> call(odd ? 101 : 100, DataType.F32, ReduceOp.SUM, false);
      case "die" -> {
        call(64, DataType.F32, ReduceOp.SUM, false);
        if (odd) {
          Runtime.getRuntime().halt(77);
        }
        call(64, DataType.F32, ReduceOp.SUM, false);
      }
      case "die in the library, queued" -> {
        DeathInTheLibrary death = new DeathInTheLibrary(communicator);
        if (odd) {
          death.die();
        }
        death.surviveQueued();
      }
      case "die in the library, blocking" -> {
        DeathInTheLibrary death = new DeathInTheLibrary(communicator);
        if (odd) {
          death.die();
        }
        death.surviveBlocking();
      }
      case "stopped", "stopped until a deadline" -> {
        try (StoppedRank stopped =
            behaviour.equals("stopped")
                ? StoppedRank.foundBySilence(communicator)
                : StoppedRank.foundByADeadline(communicator)) {
          if (odd) {
            stopped.stop();
          } else {
            stopped.survive();
          }
        }
      }
      case "survive", "survive without the store" ->
          new SurvivingRank(communicator).goOn(odd).close();
      case "survive twice" -> {
        try (Communicator next = new SurvivingRank(communicator).goOn(odd)) {
          boolean last = next.rank() == next.size() - 1;
          new SurvivingRank(next).goOn(last).close();
        }
      }
      case "replace" -> new SurvivingRank(communicator).replace(odd, anew());
      case "no quorum" -> new SurvivingRank(communicator).giveUp(communicator.rank() >= 2);
      case "stuck until the deadline" -> {
        StuckCall call = new StuckCall(communicator);
        if (odd) {
          call.endByDeadline();
        } else {
          call.hearOfTheDeadline();
        }
      }
      case "stuck with its caller", "stuck with its caller, not reached" -> {
        StuckCall call = new StuckCall(communicator);
        if (odd) {
          call.bringCallerBack(behaviour.endsWith("not reached"));
        } else {
          call.comeBackToo();
        }
      }
      case "passed beside" -> new PassedCalls(communicator).besideOthers();
      case "passed and waited for" -> new PassedCalls(communicator).haveItsOwnStreamWait();
      case "passed and left" -> new PassedCalls(communicator).leaveAfterTheStream();
      case "passed aborts" ->
          new PassedCalls(communicator)
              .stormOfAborts(Long.parseLong(settings.get("emu_queue_seed")));
      case "stuck with its caller for ever" -> new StuckCall(communicator).leaveCallerBehind();
      case "stuck until aborted" -> {
        StuckCall call = new StuckCall(communicator);
        if (odd) {
          call.endByAbort();
        } else {
          call.hearOfTheAbort();
        }
      }
      case "die in the join", "stop in the join" -> System.out.println("joined without one");
      case "registered" -> {
        RegisteredSums sums = new RegisteredSums(communicator);
        sums.checkMappings();
        sums.run();
        sums.closeLast();
      }
      case "registered nowhere" -> new RegisteredSums(communicator).runUnregistered();
      case "register mismatch" -> {
        if (odd) {
          call(101, DataType.F32, ReduceOp.SUM, false);
        }
        Object unused = communicator.allocateRegistered(5000);
      }
      case "die registering" -> {
        if (odd) {
          new RegisteredSums(communicator).die();
        }
        new RegisteredSums(communicator).survive();
      }
      case "late" -> {
        if (odd) {
          DeathInTheLibrary.await("the failure", () -> communicator.failure().isPresent());
        }
        call(64, DataType.F32, ReduceOp.SUM, false);
      }
      default -> throw new IllegalArgumentException(behaviour);
    }
  }

  /** The command that starts a process as this one was started, which comes anew. */
  private static List<String> anew() {
    ProcessHandle.Info self = ProcessHandle.current().info();
    List<String> command = new ArrayList<>();
    command.add(self.command().orElseThrow());
    command.addAll(List.of(self.arguments().orElseThrow()));
    int behaviour = command.size() - 2;
    command.set(behaviour, "new");
    return command;
  }

  /** Whether one call of the host library has long vectors' sums, whatever the vendors. */
  private void requireFlat(boolean flat) {
    long longest = COUNTS[COUNTS.length - 1];
    CollectiveCall sum = CollectiveCall.allReduce(longest, DataType.F32, ReduceOp.SUM, false);
    if (new Planner(communicator.context()).isFlat(sum) != flat) {
      throw new IllegalStateException(
          "a sum of %d is %sflat".formatted(longest, flat ? "not " : ""));
    }
  }

  /** What {@code tombolo plan} plans for these vendors is what this job will do. */
  private void planAsImagined() {
    PlanContext context = communicator.context();
    ClusterSpec spec =
        new ClusterSpec(
            IntStream.range(0, communicator.size())
                .mapToObj(rank -> context.clustering().site(rank).vendor())
                .collect(ImmutableList.toImmutableList()));
    PlanContext imagined =
        JobContext.of(ImaginedRanks.onThisHost(spec), settings, context.calibration());
    if (!imagined.facts().equals(context.facts())) {
      throw new IllegalStateException("imagined " + imagined.facts() + ", is " + context.facts());
    }
  }

  /** A short all_reduce goes by doubling here. */
  private void doubles() {
    CollectiveCall call = CollectiveCall.allReduce(7, DataType.F32, ReduceOp.SUM, false);
    Algorithm algorithm = new Planner(communicator.context()).algorithm(call);
    if (algorithm != Algorithm.DOUBLING) {
      throw new IllegalStateException(call + " goes by " + algorithm.text());
    }
  }

  /** As relays are written, equal neighbours are one. */
  private static boolean isEven(Relays relays) {
    return !relays.toString().contains(":");
  }

  /** Every operation in every type that can hold small whole numbers exactly. */
  private void types() {
    int root = communicator.size() - 1;
    for (DataType type : DataType.values()) {
      if (type.sizeBytes() > 1 || type == DataType.I8 || type == DataType.U8) {
        new EveryCall(communicator, type).run(type == DataType.F16 ? 1003 : 13, root);
      }
    }
  }

  /** Odd and even ranks apart, in reverse order; then both groups and the whole at once. */
  private void split() {
    int rank = communicator.rank();
    Communicator half = communicator.split(rank % 2, -rank).orElseThrow();
    if (half.rank() != (communicator.size() - 1 - rank) / 2) {
      throw new IllegalStateException("rank " + rank + " became " + half.rank());
    }
    new EveryCall(half).run();
    new EveryCall(communicator).run();
    if (communicator.split(rank == 0 ? -1 : 7, 0).isPresent() == (rank == 0)) {
      throw new IllegalStateException("rank " + rank + " is on the wrong side");
    }
    half.close();
  }

  /** Rank 0 sends more than rank 1 expects. */
  private void uneven() {
    try (Stream stream = communicator.device().newStream();
        DeviceArray array = new DeviceArray(communicator.device(), stream, 64)) {
      if (communicator.rank() == 0) {
        communicator.send(array.buffer(DataType.F32, 7), 1, stream).await(LIMIT);
      } else if (communicator.rank() == 1) {
        communicator.receive(array.buffer(DataType.F32, 5), 0, stream).await(LIMIT);
      }
      communicator.barrier(stream).await(LIMIT);
    }
  }

  private void sums() {
    for (long count : COUNTS) {
      for (boolean inPlace : new boolean[] {false, true}) {
        for (DataType type :
            new DataType[] {
              DataType.F32, DataType.I64, DataType.BF16, DataType.F16, DataType.I32
            }) {
          call(count, type, ReduceOp.SUM, inPlace);
        }
        call(count, DataType.F64, ReduceOp.MAX, inPlace);
        call(count, DataType.F32, ReduceOp.AVG, inPlace);
      }
    }
    Traffic traffic = communicator.traffic();
    if (traffic.intraBytes() != plannedIntra || traffic.crossBytes() != plannedCross) {
      throw new IllegalStateException(
          "moved "
              + traffic
              + ", planned "
              + plannedIntra
              + " inside and "
              + plannedCross
              + " across");
    }
  }

  /** A sent payload is copied only if it is small, a received one also if it comes too early. */
  private void direct() {
    Traffic traffic = communicator.traffic();
    if (traffic.directBytes() < traffic.crossBytes() * 9 / 10) {
      throw new IllegalStateException("copied too much: " + traffic);
    }
  }

  private void call(long count, DataType type, ReduceOp op, boolean inPlace) {
    int bytes = (int) Math.max(1, count * type.sizeBytes());
    try (Stream stream = communicator.device().newStream();
        DeviceArray input = new DeviceArray(communicator.device(), stream, bytes);
        DeviceArray output = new DeviceArray(communicator.device(), stream, bytes)) {
      DeviceArray result = inPlace ? input : output;
      poison(output);
      fill(input, type, count, communicator.rank());
      CollectiveCall all = CollectiveCall.allReduce(count, type, op, false);
      Work work =
          communicator.call(
              new PlacedCall(all, input.address(), result.address()), options, stream);
      work.await(LIMIT);
      result.download();
      check(result, type, op, count);
      if (!inPlace) {
        input.download();
        checkInput(input, type, count);
      }
      Plan plan = communicator.plan(CollectiveCall.allReduce(count, type, op, inPlace));
      plannedIntra += plan.intraBytes();
      plannedCross += plan.crossBytes();
    }
  }

  private static void poison(DeviceArray array) {
    ByteBuffer bytes = array.bytes();
    while (bytes.hasRemaining()) {
      bytes.put((byte) POISON);
    }
    array.upload();
  }

  private static void fill(DeviceArray array, DataType type, long count, int rank) {
    ByteBuffer bytes = array.bytes();
    for (int i = 0; i < count; i++) {
      Numbers.put(bytes, type, i, element(rank, i));
    }
    array.upload();
  }

  /** Small whole numbers: every sum of them is exact in every type, whatever the order. */
  private static int element(int rank, int index) {
    return (rank + 1) * (index % 5);
  }

  private void check(DeviceArray array, DataType type, ReduceOp op, long count) {
    int n = communicator.size();
    for (int i = 0; i < count; i++) {
      double sum = n * (n + 1) / 2.0 * (i % 5);
      double expected =
          switch (op) {
            case MAX -> n * (double) (i % 5);
            case AVG -> (float) sum / n;
            case SUM, PROD, MIN, BAND, BOR, BXOR -> sum;
          };
      expect(array, type, i, expected, op + " of " + count + " " + type);
    }
  }

  private void checkInput(DeviceArray array, DataType type, long count) {
    for (int i = 0; i < count; i++) {
      expect(array, type, i, element(communicator.rank(), i), "input of " + count + " " + type);
    }
  }

  private void expect(DeviceArray array, DataType type, int index, double expected, String what) {
    double found = Numbers.get(array.bytes(), type, index);
    if (found != expected
        && Math.abs(found - expected) > (type == DataType.F32 ? 1e-6 * Math.abs(expected) : 0)) {
      throw new IllegalStateException(
          "rank "
              + communicator.rank()
              + ", "
              + what
              + ": element "
              + index
              + " is "
              + found
              + ", not "
              + expected);
    }
  }
}
