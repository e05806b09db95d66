// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Table;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.exec.submit.CallGroup;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.AlgorithmRules;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.Activity;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/** A job whose ranks all live in this process, each with its own executor and agent. */
public final class LocalJob implements AutoCloseable {
  private final HostDevice device = new HostDevice();
  private final LocalLinks links;
  private final PlanContext context;
  private final Planner planner;
  private final List<LocalRank> ranks = new ArrayList<>();
  private final List<LocalRank> closed = new ArrayList<>();
  private final List<Stream> streams = new ArrayList<>();
  private final List<Work> allWorks = new CopyOnWriteArrayList<>();
  private final Table<Integer, Integer, Side> sides = HashBasedTable.create();

  /** A stream of one rank beside its first, with buffers of its own. */
  private record Side(Stream stream, NativeMemory input, NativeMemory output) {
    void close() {
      input.close();
      output.close();
    }
  }

  /** A job whose ranks vote over channels, with libraries declared to sum f32. */
  public LocalJob(String word, Duration timeout) {
    this(word, timeout, false);
  }

  /** As the other; the libraries have {@code flags}, and the ranks a board for votes if so said. */
  public LocalJob(String word, Duration timeout, boolean board, Capabilities.Flag... flags) {
    this(word, timeout, board, false, flags);
  }

  /** As the first; {@code recorder} has the collectives of rank 0. */
  public LocalJob(String word, Duration timeout, FlightRing recorder) {
    this(word, timeout, false, false, recorder);
  }

  /** As the other; the libraries may keep callers that want to be back soon, if so said. */
  public LocalJob(
      String word,
      Duration timeout,
      boolean board,
      boolean keepsCallers,
      Capabilities.Flag... flags) {
    this(word, timeout, board, keepsCallers, FlightRing.OFF, flags);
  }

  private LocalJob(
      String word,
      Duration timeout,
      boolean board,
      boolean keepsCallers,
      FlightRing recorder,
      Capabilities.Flag... flags) {
    int size = word.length();
    Capabilities sums =
        Capabilities.of(
            EnumSet.allOf(Primitive.class),
            Set.of(DataType.F32, DataType.I32),
            Set.of(ReduceOp.SUM, ReduceOp.MAX),
            Set.of(flags));
    Clustering clustering =
        Clustering.of(
            IntStream.range(0, size)
                .mapToObj(
                    rank -> new RankSite(rank, word.substring(rank, rank + 1), "host", "host"))
                .toList());
    ImmutableList<Capabilities> capabilities =
        clustering.clusters().stream()
            .map(cluster -> sums)
            .collect(ImmutableList.toImmutableList());
    this.context = PlanContext.evenly(1, clustering, capabilities, Tuning.ofSegments(4096));
    this.planner = new Planner(context);
    this.links = new LocalLinks(size);
    Map<Integer, MemoryVendor> vendors = MemoryVendor.ofClusters(clustering);
    LocalRank.Common common =
        new LocalRank.Common(
            device,
            new Doorbells(device),
            clustering,
            links,
            sums,
            board
                ? Optional.of(ByteBuffer.allocateDirect(Executor.boardBytes(size)))
                : Optional.empty(),
            keepsCallers,
            timeout);
    for (int rank = 0; rank < size; rank++) {
      FlightRing own = rank == 0 ? recorder : FlightRing.OFF;
      ranks.add(LocalRank.of(common, rank, Optional.ofNullable(vendors.get(rank)), own));
    }
  }

  /** Makes {@code call} on one rank; {@link #allReduce} makes it on all. */
  public Work submit(int rank, CollectiveCall call) {
    LocalRank at = ranks.get(rank);
    long output = at.output().address();
    long input = call.inPlace() ? output : at.input().address();
    NativeMemory given = call.inPlace() ? at.output() : at.input();
    RankElements.fill(given, rank, 0, (int) call.layout().count(0));
    return submit(at, new Task(planner.plan(call, rank), input, output), at.stream());
  }

  /** Makes {@code call} on one rank and {@code stream}. */
  Work submitOn(Stream stream, int rank, CollectiveCall call) {
    LocalRank at = ranks.get(rank);
    Task task = new Task(planner.plan(call, rank), at.input().address(), at.output().address());
    return submit(at, task, stream);
  }

  /** Makes an all_reduce of {@code count} sums on one rank's stream number {@code side}. */
  public Work submitBeside(int rank, int side, int count) {
    return submitBeside(rank, side, count, CallOptions.STANDARD);
  }

  /**
   * As the other, with {@code options}. Several ranks' calls may come from threads of their own.
   */
  public Work submitBeside(int rank, int side, int count, CallOptions options) {
    Side at = side(rank, side);
    RankElements.fill(at.input(), rank, 0, count);
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    Task task = new Task(planner.plan(call, rank), at.input().address(), at.output().address());
    Executor executor = ranks.get(rank).executor();
    return noted(executor.submit(Submission.of(task, ranks.size()), options, at.stream()));
  }

  /** As {@link #submit(int, CollectiveCall)}, planned as {@code rules} say. */
  Work submit(int rank, CollectiveCall call, String rules) {
    Tuning tuning = new Tuning(context.tuning().segmentBytes(), AlgorithmRules.parse(rules));
    PlanContext other = PlanContext.evenly(1, context.clustering(), context.capabilities(), tuning);
    LocalRank at = ranks.get(rank);
    Plan plan = new Planner(other).plan(call, rank);
    return submit(at, new Task(plan, at.input().address(), at.output().address()), at.stream());
  }

  /** The stream that {@link #submit} uses. */
  public Stream stream(int rank) {
    return ranks.get(rank).stream();
  }

  /** A stream of {@code rank} with buffers of its own. */
  public Stream streamBeside(int rank, int side) {
    return side(rank, side).stream();
  }

  /** Has the library fail on {@code rank} in the end of each call. */
  public void failVendor(int rank, VendorException error) {
    ranks.get(rank).vendor().orElseThrow().failWith(error);
  }

  /** The library of {@code rank} has no such thing as offers: to be said before any call. */
  public void takeNoOffers(int rank) {
    ranks.get(rank).vendor().orElseThrow().takeNoOffers();
  }

  /** The threads that called the library on {@code rank}. */
  public List<Thread> vendorCallers(int rank) {
    return ranks.get(rank).vendor().orElseThrow().callers();
  }

  /** How many calls {@code rank} has offered to the library's other members. */
  public int vendorOffers(int rank) {
    return ranks.get(rank).vendor().orElseThrow().offers();
  }

  /** Whether a look shows {@code rank} that a round may find something: for its agent's thread. */
  public boolean mayHaveNews(int rank) {
    return ranks.get(rank).executor().mayHaveNews();
  }

  /** Runs {@code task} on {@code rank}'s agent, which makes no round meanwhile. */
  public void runOnAgent(int rank, Runnable task) {
    ranks.get(rank).agent().run(task);
  }

  /** What {@code rank} has failed for. */
  public Optional<TomboloException> failure(int rank) {
    return ranks.get(rank).failureState().failure();
  }

  /** Closes {@code rank}'s executor as a communicator does that is closed. */
  public void closeExecutor(int rank) {
    ranks.get(rank).agent().run(ranks.get(rank).executor()::stop);
    ranks.get(rank).executor().close();
    closed.add(ranks.get(rank));
  }

  public void checkSumsBeside(int side, int count) {
    for (int rank = 0; rank < ranks.size(); rank++) {
      checkSumsBeside(rank, side, count);
    }
  }

  public void checkSumsBeside(int rank, int side, int count) {
    check(rank, side(rank, side).output(), 0, count, 1);
  }

  /** Gives up all of {@code rank}'s operations. */
  public void abort(int rank) {
    ranks.get(rank).failureState().fail(new AbortedException("a test aborts"));
  }

  /** Makes all_reduces of so many elements each as one group, on all ranks. */
  List<Work> group(int... counts) {
    List<Work> works = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      LocalRank at = ranks.get(rank);
      List<PlacedCall> calls = new ArrayList<>();
      long offset = 0;
      for (int count : counts) {
        RankElements.fill(at.input(), rank, (int) offset / Float.BYTES, count);
        calls.add(
            new PlacedCall(
                CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false),
                at.input().address() + offset,
                at.output().address() + offset));
        offset += (long) count * Float.BYTES;
      }
      int self = rank;
      Submission group =
          CallGroup.of(calls, self, ranks.size()).submission(call -> planner.plan(call, self));
      works.add(noted(at.executor().submit(group, CallOptions.STANDARD, at.stream())));
    }
    return works;
  }

  /** Makes {@code calls} as one group on one rank's stream number {@code side}. */
  Work groupBeside(int rank, int side, CollectiveCall... calls) {
    Side at = side(rank, side);
    List<PlacedCall> placed =
        Arrays.stream(calls)
            .map(call -> new PlacedCall(call, at.input().address(), at.output().address()))
            .toList();
    Submission group =
        CallGroup.of(placed, rank, ranks.size()).submission(call -> planner.plan(call, rank));
    Executor executor = ranks.get(rank).executor();
    return noted(executor.submit(group, CallOptions.STANDARD, at.stream()));
  }

  void checkGroup(int... counts) {
    for (int rank = 0; rank < ranks.size(); rank++) {
      int from = 0;
      for (int count : counts) {
        check(rank, ranks.get(rank).output(), from, count, 1);
        from += count;
      }
    }
  }

  public Activity activity(int rank) {
    return ranks.get(rank).executor().activity();
  }

  public int size() {
    return ranks.size();
  }

  private synchronized Side side(int rank, int side) {
    if (!sides.contains(rank, side)) {
      long bytes = LocalRank.BUFFER_BYTES;
      sides.put(
          rank,
          side,
          new Side(device.newStream(), NativeMemory.allocate(bytes), NativeMemory.allocate(bytes)));
    }
    return sides.get(rank, side);
  }

  private Work submit(LocalRank at, Task task, Stream stream) {
    return noted(
        at.executor().submit(Submission.of(task, ranks.size()), CallOptions.STANDARD, stream));
  }

  /** Sends the first {@code count} elements of {@code rank}'s input to {@code peer}. */
  public Work send(int rank, int count, int peer) {
    LocalRank at = ranks.get(rank);
    RankElements.fill(at.input(), rank, 0, count);
    return message(
        rank,
        new Layout.One(peer, count),
        new Layout.One(peer, 0),
        CallOptions.STANDARD,
        ownStream());
  }

  /** Receives {@code count} elements from {@code peer} into {@code rank}'s output. */
  public Work receive(int rank, int count, int peer) {
    return receive(rank, count, peer, CallOptions.STANDARD, ownStream());
  }

  /** As the other with {@code options}, on the stream of {@code rank}. */
  public Work receive(int rank, int count, int peer, CallOptions options) {
    return receive(rank, count, peer, options, ranks.get(rank).stream());
  }

  private Work receive(int rank, int count, int peer, CallOptions options, Stream stream) {
    return message(rank, new Layout.One(peer, 0), new Layout.One(peer, count), options, stream);
  }

  /** Messages on streams of their own are ordered by the messenger only. */
  private Stream ownStream() {
    Stream stream = device.newStream();
    streams.add(stream);
    return stream;
  }

  private Work message(
      int rank, Layout sends, Layout receives, CallOptions options, Stream stream) {
    CollectiveCall call =
        CollectiveCall.exchange(new Layout.Pairwise(sends, receives), DataType.F32);
    LocalRank at = ranks.get(rank);
    Task task = new Task(planner.plan(call, rank), at.input().address(), at.output().address());
    return noted(
        at.messenger().submit("message", call.sizeBytes(rank, 1), List.of(task), options, stream));
  }

  private Work noted(Work work) {
    allWorks.add(work);
    return work;
  }

  /** Whether {@code rank}'s output begins with {@code count} elements of {@code owner}. */
  public void checkOutput(int rank, int owner, int count) {
    RankElements.checkCopy(ranks.get(rank).output(), owner, count, "rank " + rank);
  }

  public List<Work> allReduce(CollectiveCall call) {
    return IntStream.range(0, ranks.size()).mapToObj(rank -> submit(rank, call)).toList();
  }

  void allReduceAndCheck(long count, ReduceOp op, boolean inPlace) {
    allReduce(CollectiveCall.allReduce(count, DataType.F32, op, inPlace))
        .forEach(work -> work.await(Duration.ofSeconds(60)));
    check((int) count, op == ReduceOp.AVG ? ranks.size() : 1);
  }

  /** Sums of the ranks up to each one, or before it; then rank 0's output stays as it was. */
  void scanAndCheck(Collective scan, int count, boolean inPlace) {
    Reduction sum = new Reduction.By(ReduceOp.SUM);
    CollectiveCall call = CollectiveCall.vector(scan, count, DataType.F32, sum, 0, inPlace);
    boolean withSelf = scan == Collective.SCAN;
    NativeMemory first = ranks.get(0).output();
    RankElements.mark(first);
    allReduce(call).forEach(work -> work.await(Duration.ofSeconds(60)));
    for (int rank = withSelf ? 0 : 1; rank < ranks.size(); rank++) {
      int summed = rank + (withSelf ? 1 : 0);
      String what = call + ", rank " + rank;
      RankElements.checkSums(ranks.get(rank).output(), 0, count, summed, 1, what);
    }
    if (!withSelf && inPlace) {
      RankElements.checkCopy(first, 0, 1, call.toString());
    } else if (!withSelf) {
      RankElements.checkUntouched(first, call.toString());
    }
  }

  public void checkSums(int count) {
    check(count, 1);
  }

  private void check(int count, int divisor) {
    for (int rank = 0; rank < ranks.size(); rank++) {
      check(rank, ranks.get(rank).output(), 0, count, divisor);
    }
  }

  private void check(int rank, NativeMemory memory, int from, int count, int divisor) {
    RankElements.checkSums(memory, from, count, ranks.size(), divisor, "rank " + rank);
  }

  /** When the channels of {@code rank}'s executor are closed, a NIC does not let go at once. */
  void refuseToStop(int rank) {
    links.refuseToStop(rank);
  }

  /** Whether the channels of {@code rank}'s executor are closed, all of which it has used. */
  boolean areLinksClosed(int rank) {
    return links.areClosed(rank);
  }

  /** From now on every channel of {@code rank} behaves as if its peer had died. */
  public void breakLinks(int rank) {
    links.breakAll(rank);
  }

  @Override
  public void close() {
    ranks.forEach(rank -> rank.stream().close());
    streams.forEach(Stream::close);
    sides.values().forEach(side -> side.stream().close());
    ranks.forEach(rank -> rank.agent().close());
    ranks.forEach(LocalRank::closeMessenger);
    ranks.stream().filter(rank -> !closed.contains(rank)).forEach(LocalRank::closeExecutor);
    ranks.forEach(rank -> rank.reducers().close());
    ranks.forEach(rank -> rank.own().close());
    if (allWorks.stream()
        .allMatch(Work::buffersReleased)) { // else a stream may still copy from them
      ranks.forEach(LocalRank::closeBuffers);
      sides.values().forEach(Side::close);
    }
  }
}
