// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Vendors;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Capabilities;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Cores;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.message.Messenger;
import io.tombolo.runtime.exec.run.Executor;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job of two ranks in this process, on the host's memory, of which nobody else hears: it has a
 * device, an agent, streams, channels and executors of its own, and no store. It makes calls for
 * the sake of making them, so that they are compiled, and by the classes that others' calls are
 * made of: what is compiled for one class is not of use for another.
 *
 * <p>Its ranks are in two communicators, or three. In the first they are one vendor's, and a
 * library makes the whole call; they vote over channels. In the others they are of two vendors, and
 * vote on a board: in the second they send each other what they call with, and messages, too; in
 * the third, which only memory of the host allows, a library joins them for longer vectors. The
 * libraries are each rank's own, so that nobody waits in one.
 *
 * <p>For one thread. It leaves 64 KiB behind, as {@link Doorbells} say, and nothing else.
 */
final class PrivateJob implements AutoCloseable {
  private static final int SIZE = 2;
  private static final ImmutableList<PrivateRank.Kind> KINDS =
      ImmutableList.copyOf(PrivateRank.Kind.values());

  /** Until each kind of call has been made: all kinds of collectives, messages, a long vector. */
  static final int CYCLE = KINDS.size() + 2;

  private static final String HOST = "host";

  /** Whoever waits for so long has been stopped. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final CloseStack stack = new CloseStack();

  /** The calls' streams and memory, which go when nobody works on them any more. */
  private final CloseStack ofCalls = stack.opened(new CloseStack());

  private final List<Executor> executors = new ArrayList<>();
  private final List<Messenger> messengers = new ArrayList<>();
  private final HostDevice device = new HostDevice();
  private final Doorbells doorbells = new Doorbells(device);
  private final boolean staged;
  private final OwnStreams streams;
  private final WindowCopies windowCopies;
  private final Reducers reducers;
  private final CclAdaptor library;
  private final PrivateLinks links;
  private final Agent agent;
  private final Pair joined;
  private final Pair apart;

  /** Where vectors are long: as {@link #apart}, with a library that joins all, if there can be. */
  private final Pair flat;

  private int turns;

  /** The ranks of one communicator. */
  private record Pair(PrivateRank first, PrivateRank second) {
    /** One call of both, of {@code kind}; that of the second blocks. */
    void call(PrivateRank.Kind kind, long bytes) {
      Work begun = first.call(kind, bytes, CallOptions.STANDARD);
      await(begun, second.call(kind, bytes, CallOptions.BLOCKING));
    }

    /** Messages of each to the other, by these messengers; the second's call blocks. */
    void exchange(List<Messenger> messengers) {
      Work begun = first.exchange(messengers.get(0), CallOptions.STANDARD);
      await(begun, second.exchange(messengers.get(1), CallOptions.BLOCKING));
    }

    private static void await(Work begun, Work ended) {
      ended.await(PATIENCE);
      begun.await(PATIENCE);
    }
  }

  /**
   * Bytes that were moved in a way that not all calls take.
   *
   * @param handed to libraries
   * @param staged copied to a stage or from it, for collectives
   * @param messages copied so for messages
   */
  record Moved(long handed, long staged, long messages) {}

  /**
   * Opens it.
   *
   * @param staged whether messages go by a stage, as where a device's memory is not the host's
   */
  PrivateJob(boolean staged) {
    this.staged = staged;
    try {
      streams = stack.opened(new OwnStreams(device, Optional.empty(), false));
      windowCopies = stack.opened(new WindowCopies(device, streams.windows()));
      reducers = stack.opened(new Reducers(0));
      library = stack.opened(Vendors.host().openCcl(device));
      links = stack.opened(new PrivateLinks());
      stack.opened(this::closeExecutors);
      stack.opened(this::closeMessengers);
      agent = stack.opened(new Agent(Cores.OWN, reducers::isInUsersFunction, () -> {}));
      joined = pair(contextOf("one", "one"), Optional.empty());
      PlanContext ofTwo = contextOf("one", "other");
      apart = pair(ofTwo, Optional.of(boardOfVotes()));
      flat = staged ? apart : pair(withLibraryForAll(ofTwo), Optional.of(boardOfVotes()));
      openMessengers();
      agent.add(links);
      executors.forEach(agent::add);
      messengers.forEach(agent::add);
    } catch (RuntimeException | Error e) {
      stack.close();
      throw e;
    }
  }

  private PlanContext contextOf(String first, String second) {
    Clustering clustering =
        Clustering.of(
            List.of(new RankSite(0, first, HOST, HOST), new RankSite(1, second, HOST, HOST)));
    ImmutableList<Capabilities> capabilities =
        clustering.clusters().stream()
            .map(cluster -> library.capabilities())
            .collect(ImmutableList.toImmutableList());
    return PlanContext.evenly(Equipment.PROTOCOL, clustering, capabilities, Tuning.DEFAULT);
  }

  private PlanContext withLibraryForAll(PlanContext context) {
    return new PlanContext(
        context.protocolVersion(),
        context.clustering(),
        context.capabilities(),
        context.relays(),
        context.tuning(),
        context.calibration(),
        Optional.of(library.capabilities()));
  }

  private static ByteBuffer boardOfVotes() {
    return ByteBuffer.allocateDirect(Executor.boardBytes(SIZE)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private Pair pair(PlanContext context, Optional<ByteBuffer> board) {
    PrivateLinks.Link votes = links.link(Deadline.after(PATIENCE));
    boolean exchanges = context.clustering().clusters().size() > 1;
    PrivateLinks.Link data =
        exchanges ? links.link(Deadline.after(PATIENCE)) : votes; // else nobody asks for it
    return new Pair(
        rank(0, context, board, votes.first(), data.first()),
        rank(1, context, board, votes.second(), data.second()));
  }

  private PrivateRank rank(
      int rank, PlanContext context, Optional<ByteBuffer> board, Channel votes, Channel data) {
    int peer = SIZE - 1 - rank;
    int clusterSize = context.clustering().clusterOf(rank).size();
    Executor executor;
    try (CloseStack made = new CloseStack()) {
      Optional<CclCommunicator> alone =
          clusterSize == SIZE ? Optional.of(aloneIn(made)) : Optional.empty();
      executor =
          new Executor(
              new Executor.Parts(
                  rank,
                  SIZE,
                  device,
                  alone,
                  context.flat().map(declared -> aloneIn(made)),
                  Reductions.onHost("a private job"),
                  reducers,
                  library.capabilities(),
                  clusterSize,
                  other -> data,
                  Map.of(peer, votes),
                  board.map(memory -> memory.duplicate().order(ByteOrder.LITTLE_ENDIAN)),
                  streams,
                  windowCopies,
                  doorbells,
                  PATIENCE,
                  agent,
                  FlightRing.OFF,
                  false,
                  false),
              new FailureState());
      made.keep();
    }
    executors.add(executor);
    ImmutableSet<Integer> others = ImmutableSet.of(peer);
    Reach reach = staged ? Reach.NONE : new Reach(others, others, true, true, 0);
    return new PrivateRank(rank, context, device, reach, executor, ofCalls);
  }

  /** A communicator of one rank, where others have one of all. */
  private CclCommunicator aloneIn(CloseStack made) {
    return made.opened(library.join(library.newUniqueId(), 0, 1));
  }

  /** For messages of the ranks to each other, which are of one tag. */
  private void openMessengers() {
    PrivateLinks.Link link = links.link(Deadline.after(PATIENCE));
    for (int rank = 0; rank < SIZE; rank++) {
      Channel channel = rank == 0 ? link.first() : link.second();
      messengers.add(
          new Messenger(
              new Messenger.Parts(
                  rank,
                  device,
                  (peer, tag, deadline) -> channel,
                  streams,
                  windowCopies,
                  doorbells,
                  PATIENCE,
                  agent,
                  FlightRing.OFF),
              new FailureState()));
    }
  }

  /**
   * Makes the calls of the next kind: of collectives on short vectors, one in each communicator for
   * them, then messages, then one on a long vector.
   *
   * @throws io.tombolo.base.errors.TomboloException what one of them has failed with; then all that
   *     is left is to close this
   */
  void call() {
    int number = turns++ % CYCLE;
    if (number < KINDS.size()) {
      joined.call(KINDS.get(number), PrivateRank.SHORT_BYTES);
      apart.call(KINDS.get(number), PrivateRank.SHORT_BYTES);
    } else if (number == KINDS.size()) {
      apart.exchange(messengers);
    } else {
      flat.call(PrivateRank.Kind.ALL_REDUCE, PrivateRank.LONG_BYTES);
    }
  }

  /** What was moved so far. */
  Moved moved() {
    return new Moved(
        executors.stream().mapToLong(Executor::handedBytes).sum(),
        executors.stream().mapToLong(Executor::stagedBytes).sum(),
        messengers.stream().mapToLong(Messenger::stagedBytes).sum());
  }

  /** Once the agent has ended. */
  private void closeExecutors() {
    Deadline patience = Deadline.after(PATIENCE);
    DoAll.each(
        executors,
        executor ->
            DoAll.of(executor::stop, executor::close, () -> executor.awaitLibraries(patience)));
  }

  /** Once the agent has ended. */
  private void closeMessengers() {
    DoAll.each(messengers, messenger -> DoAll.of(messenger::stop, messenger::close));
  }

  @Override
  public void close() {
    stack.close();
  }
}
