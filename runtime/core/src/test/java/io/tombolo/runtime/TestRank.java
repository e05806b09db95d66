// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.group.ProcessGroup;
import io.tombolo.runtime.launch.PooledRank;
import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.work.CallOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What one rank of the jobs in tests runs; the first argument says how it behaves. */
public final class TestRank {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Communicator communicator;
  private final JobEnvironment environment;
  private final ImmutableSortedMap<String, String> settings;
  private final PlannedSums sums;
  private final ExpectedPlans plans;

  private TestRank(Communicator communicator, JobEnvironment environment) {
    this.communicator = communicator;
    this.environment = environment;
    this.settings = environment.settings();
    this.sums = new PlannedSums(communicator, CallOptions.STANDARD);
    this.plans = new ExpectedPlans(communicator, settings);
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
      if (behaviour.equals("scarce")) {
        ScarceLives.run(environment);
        return 0;
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
        new TestRank(communicator, environment).run(behaviour, odd);
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
        plans.requireAsImagined();
        sums.run();
      }
      case "sums and their way" -> {
        sums.run();
        System.out.println(
            communicator.routes() + " carried " + communicator.traffic().crossBytesByFabric());
      }
      case "sums while a NIC dies" -> {
        sums.run();
        DeadNic.tell(settings);
        sums.run();
      }
      case "flat" -> {
        plans.requireAsImagined();
        plans.requireFlat(true);
        sums.run();
      }
      case "between clusters" -> {
        plans.requireAsImagined();
        plans.requireFlat(false);
        sums.run();
      }
      case "blocking" -> new PlannedSums(communicator, CallOptions.BLOCKING).run();
      case "blocking mismatch" ->
          new PlannedSums(communicator, CallOptions.BLOCKING).one(odd ? 101 : 100);
      case "everything" -> {
        new EveryCall(communicator).run();
        new RoundedSums(communicator).run();
      }
      case "types" -> {
        types();
        new RoundedSums(communicator).run();
      }
      case "doubling" -> {
        plans.requireDoubling();
        sums.run();
        new EveryCall(communicator).run(1003, 0);
        new RoundedSums(communicator).run();
      }
      case "uneven relays" -> {
        plans.requireUnevenRelays();
        sums.run();
      }
      case "direct" -> {
        sums.run();
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
      case "strict routes" -> {
        try (Store store = environment.openStore()) {
          new StrictCalls(communicator).checkThatTheRoutesSayWhy(RunningJob.read(store));
        }
      }
      case "strict shared queues" ->
          new StrictCalls(communicator).checkThatTheRoutesTellOfSharedQueues();
      case "strict stream not held" ->
          new StrictCalls(communicator).checkThatTheRoutesTellOfAStreamThatIsNotHeld();
      case "strict close" -> new StrictCalls(communicator).closeOne();
      case "stream order" -> new StreamOrder(communicator).run();
      case "huge" -> new HugeSum(communicator).run();
      case "split" -> split();
      case "group" -> new EveryGroupCall(new ProcessGroup(communicator, "all")).run();
      case "uneven" -> uneven();
      case "garbage" -> new AgentAllocations(communicator).check();
      case "idle" -> new IdleTime(communicator).check();
      case "planned unlike" -> {
        TestTuner.choose(odd ? Algorithm.DIRECT : Algorithm.PIECES);
        sums.one(100);
      }
      case "mismatch" -> sums.one(odd ? 101 : 100);
      case "die" -> {
        sums.one(64);
        if (odd) {
          Runtime.getRuntime().halt(77);
        }
        sums.one(64);
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
          sums.one(101);
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
        sums.one(64);
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

  /** A sent payload is copied only if it is small, a received one also if it comes too early. */
  private void direct() {
    Traffic traffic = communicator.traffic();
    if (traffic.directBytes() < traffic.crossBytes() * 9 / 10) {
      throw new IllegalStateException("copied too much: " + traffic);
    }
  }
}
