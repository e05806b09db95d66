// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.bootstrap.CommonMemory;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.bootstrap.Meetings;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.equipment.JoinWatch;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.engine.VendorAbort;
import io.tombolo.runtime.exec.message.Messenger;
import io.tombolo.runtime.exec.run.Executor;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.runtime.recorder.FlightFile;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Some or all ranks of a job with all they need to work together: an agreed context, the vendor's
 * communicator of this rank's cluster, channels, and an executor. What a {@link Communicator} is
 * inside.
 */
final class RankGroup {
  private static final Logger LOG = LoggerFactory.getLogger(RankGroup.class);

  /** Each group has this many kinds of channels between two ranks. */
  private static final int CHANNELS = 3;

  private static final int DATA = 0;
  private static final int CONTROL = 1;
  private static final int MESSAGES = 2;

  /** Those of messages are as many as there are tags: above these bits the id has the tag. */
  private static final int TAG_SHIFT = 32;

  /** Where members say that they are about to enter the vendor's library. */
  private static final String BEGUN = "begun";

  /** Everyone reads everyone's vote: beyond this a tree is better. */
  private static final int MAX_BOARD_RANKS = 16;

  private final Session session;
  private final Members members;
  private final long id;
  private final GroupKeys keys;
  private final PlanContext context;
  private final Meetings meetings;
  private final Agreements agreements;
  private final List<Channel> data = new CopyOnWriteArrayList<>();
  private final FailureState failureState = new FailureState();
  private Optional<CclCommunicator> vendor = Optional.empty();
  private Optional<CclCommunicator> flat = Optional.empty();
  private Map<Integer, Channel> control = ImmutableMap.of();
  private Optional<FlightFile> flight = Optional.empty();
  private Executor executor;
  private Messenger messenger;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Set<RankGroup> children = ConcurrentHashMap.newKeySet();
  private volatile Optional<RankGroup> parent = Optional.empty();

  /** The group called {@code id}, whose members have yet to {@link #meet}. */
  RankGroup(Session session, Members members, long id) {
    this.session = session;
    this.members = members;
    this.id = id;
    this.keys = new GroupKeys(members, id, session.store(), session.groupFailures().enter(id));
    this.context = contextOf(session, members);
    this.meetings = new Meetings(keys.place().within("meetings"), members.self(), members.size());
    this.agreements = new Agreements(session, members, id);
  }

  /**
   * Brings the members together; all of them call this, and it blocks until they have. Whoever it
   * fails for {@linkplain #giveUp gives up}.
   *
   * @param coming when the last of them must have come; a part of a job then has the {@linkplain
   *     Session#joinLimit time for joining} to become ready
   * @param onMeeting is run when all have come, and before any of them returns
   */
  void meet(Deadline coming, Runnable onMeeting) {
    keys.agreeContext(context.facts(), coming);
    onMeeting.run();
    Deadline deadline = id == 0 ? coming : Deadline.after(session.joinLimit());
    vendor = joinCluster(deadline);
    flat = joinFlat(deadline);
    control =
        ChannelOpening.of(
            session.agent(),
            Executor.controlPeers(members.self(), members.size()),
            rank -> connect(rank, CONTROL, deadline),
            deadline,
            () -> session.groupFailures().whyOver(id));
    startDuties(shareBoard(deadline));
    keys.agreeReady(deadline);
  }

  /** Gives back what the group holds here, whose members have not come together. */
  void giveUp(TomboloException cause) {
    try {
      if (executor != null) {
        failureState.fail(cause);
        session.agent().run(this::stop);
      } else {
        vendor.ifPresent(this::abort);
        flat.ifPresent(VendorAbort::of);
        session.agent().run(() -> control.values().forEach(Channel::close));
      }
      clear(true);
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves something of a group behind: {}", session.rank(), e.getMessage());
    }
  }

  /** A library that cannot would wait in its place for the others. */
  private void abort(CclCommunicator communicator) {
    if (session.equipment().ccl().capabilities().has(Capabilities.Flag.ABORT)) {
      VendorAbort.of(communicator);
    }
  }

  private static PlanContext contextOf(Session session, Members members) {
    return JobContext.of(
        members.jobRanks().stream().mapToObj(session.ranks()::get).toList(),
        session.environment().settings(),
        session.calibration());
  }

  private Optional<CclCommunicator> joinCluster(Deadline deadline) {
    Cluster cluster = cluster();
    if (cluster.size() == 1) {
      return Optional.empty();
    }
    byte[] uniqueId =
        UniqueIds.share(
            keys.place(),
            "cluster-" + cluster.index(),
            members.self(),
            cluster.rank(0),
            session.equipment().ccl()::newUniqueId,
            deadline);
    return Optional.of(
        session
            .equipment()
            .join(
                uniqueId,
                cluster,
                context.capabilities().get(cluster.index()),
                members.self(),
                joinWatch(cluster),
                deadline));
  }

  /** The host library, for all ranks, whatever their vendors: see {@link PlanContext#flat}. */
  private Optional<CclCommunicator> joinFlat(Deadline deadline) {
    return context.flat().map(declared -> joinFlat(declared, deadline));
  }

  private CclCommunicator joinFlat(Capabilities declared, Deadline deadline) {
    Cluster everyone =
        new Cluster(
            0,
            Vendors.host().name(),
            IntStream.range(0, members.size()).boxed().collect(ImmutableList.toImmutableList()));
    byte[] uniqueId =
        UniqueIds.share(
            keys.place(),
            "flat",
            members.self(),
            0,
            session.equipment().hostLibrary()::newUniqueId,
            deadline);
    return session
        .equipment()
        .joinFlat(uniqueId, everyone, declared, members.self(), joinWatch(everyone), deadline);
  }

  private JoinWatch joinWatch(Cluster cluster) {
    Store begun = keys.place().within(BEGUN);
    begun.set(Integer.toString(members.self()), new byte[] {1});
    return new JoinWatch(
        () -> session.groupFailures().toldOf(id),
        () ->
            cluster.ranks().stream()
                .filter(rank -> begun.get(Integer.toString(rank)).isEmpty())
                .toList());
  }

  /** On one host the ranks read each other's votes, which is quicker than messages. */
  private Optional<ByteBuffer> shareBoard(Deadline deadline) {
    boolean oneHost =
        IntStream.range(0, members.size())
                .mapToObj(rank -> context.clustering().site(rank).hostId())
                .distinct()
                .count()
            == 1;
    return oneHost && members.size() > 1 && members.size() <= MAX_BOARD_RANKS
        ? CommonMemory.share(
            keys.place(),
            members.self(),
            members.size(),
            Executor.boardBytes(members.size()),
            deadline)
        : Optional.empty();
  }

  /** The library that joins all members and has memory to register, if there is one. */
  Optional<CclAdaptor> registers() {
    if (flat.isPresent()) {
      return Optional.of(session.equipment().hostLibrary());
    }
    return members.size() > 1
            && cluster().size() == members.size()
            && context.capabilities().get(0).has(Capabilities.Flag.REGISTERED_BUFFERS)
        ? Optional.of(session.equipment().ccl())
        : Optional.empty();
  }

  private void startDuties(Optional<ByteBuffer> board) {
    flight = session.recorder().open(members.self(), members.size(), id);
    flight.ifPresent(file -> failureState.onFailure(file::failed));
    Messenger messages =
        new Messenger(
            new Messenger.Parts(
                members.self(),
                session.equipment().device(),
                (rank, tag, deadline) -> open(rank, MESSAGES | (long) tag << TAG_SHIFT, deadline),
                session.streams(),
                session.windowCopies(),
                session.doorbells(),
                session.environment().timeout(),
                session.agent(),
                flight.map(FlightFile::messages).orElseGet(() -> FlightRing.off(id))),
            failureState);
    try {
      executor =
          new Executor(
              new Executor.Parts(
                  members.self(),
                  members.size(),
                  session.equipment().device(),
                  vendor,
                  flat,
                  session.equipment().reductions(),
                  session.reducers(),
                  session.equipment().ccl().capabilities(),
                  cluster().size(),
                  rank -> open(rank, DATA, Deadline.after(session.environment().timeout())),
                  control,
                  board,
                  session.streams(),
                  session.windowCopies(),
                  session.doorbells(),
                  session.environment().timeout(),
                  session.agent(),
                  flight.map(FlightFile::collectives).orElseGet(() -> FlightRing.off(id)),
                  session.votesFirst(),
                  session.keepsCallers()),
              failureState);
    } catch (RuntimeException e) {
      messages.close();
      throw e;
    }
    messenger = messages;
    failureState.onFailure(this::tellOthers); // who see an abort are to know soon whose it is
    failureState.onFailure(cause -> executor.awaitAborts());
    failureState.onLoss(seen -> new LossInquiry(session, id, members).begin(this, seen));
    session.agent().add(executor);
    session.agent().add(messenger);
  }

  private void tellOthers(TomboloException cause) {
    children.forEach(child -> child.failureState.fail(cause));
    keys.place().endWaits(JobFailure.of(members.self(), cause).text());
    if (id == 0) {
      session.tellOthers(cause);
    } else {
      session.groupFailures().tell(this, cause);
    }
  }

  /**
   * Others tell that this group, or the job, has failed. What it gives must be run, as in {@link
   * FailureState#begin}.
   */
  Runnable hear(JobFailure failure) {
    return failureState.begin(session.toException(failure));
  }

  /** {@code child} was split off this group, and fails with it. */
  void adopt(RankGroup child) {
    child.parent = Optional.of(this);
    children.add(child);
    failureState.failure().ifPresent(child.failureState::fail);
  }

  /** {@code child} is closed. */
  void disown(RankGroup child) {
    children.remove(child);
  }

  boolean hasFailedWithParent() {
    return parent.map(group -> group.failureState.hasFailed()).orElse(false);
  }

  /** Whether a member has left, or wants to: whoever sees it go need not look for a cause. */
  boolean hasLeaver() {
    return keys.hasLeaver();
  }

  /** What names this group in the job. */
  long id() {
    return id;
  }

  private Cluster cluster() {
    return context.clustering().clusterOf(members.self());
  }

  private Channel open(int rank, long kind, Deadline deadline) {
    Channel channel = connect(rank, kind, deadline);
    data.add(channel);
    return channel;
  }

  private Channel connect(int rank, long kind, Deadline deadline) {
    return session.wiring().connect(members.jobRank(rank), id * CHANNELS + kind, deadline);
  }

  Members members() {
    return members;
  }

  PlanContext context() {
    return context;
  }

  Executor executor() {
    return executor;
  }

  Messenger messenger() {
    return messenger;
  }

  /** How this group ends when something fails. */
  FailureState failureState() {
    return failureState;
  }

  /** Something failed that is not the fault of one operation. */
  void fail(Throwable cause) {
    executor.fail(cause);
  }

  /** How data reaches each rank of another cluster, and why; and why calls block, if they do. */
  ImmutableMap<Integer, String> routes() {
    String order =
        session.streams().hostOrder().map(why -> "; calls in the host's order: " + why).orElse("");
    TreeMap<Integer, String> routes = new TreeMap<>();
    Clustering clustering = context.clustering();
    for (int peer = 0; peer < members.size(); peer++) {
      if (clustering.clusterOf(peer).index() != cluster().index()) {
        routes.put(peer, session.wiring().route(members.jobRank(peer)) + order);
      }
    }
    return ImmutableMap.copyOf(routes);
  }

  /** Where the members meet through the store. */
  Meetings meetings() {
    return meetings;
  }

  /** What the members agree on, even after a failure. */
  Agreements agreements() {
    return agreements;
  }

  /** Adds what this group's channels have moved: bytes by fabric; returns the bytes copied. */
  long addTraffic(Map<String, Long> byFabric) {
    long copied = 0;
    for (Channel channel : data) {
      byFabric.merge(channel.fabric().name(), channel.sentBytes(), Long::sum);
      copied += channel.copiedBytes();
    }
    return copied;
  }

  /**
   * What channels reach of this rank's device memory, and what is combined there. Where that is the
   * host's memory, all channels copy from and to it, and the host engine combines in it: nothing is
   * staged.
   */
  Reach reach() {
    if (session.equipment().device().isHost()) {
      ImmutableSet<Integer> others = peers(peer -> true);
      return new Reach(others, others, true, true, 0);
    }
    return new Reach(
        peers(session.wiring()::sendsDirectly),
        peers(session.wiring()::receivesDirectly),
        true,
        true,
        session.equipment().reductions().deviceFromBytes());
  }

  /** What is reached of this rank's device memory wherever it is from: by the device's engine. */
  Reach reachAnywhere() {
    ImmutableSet<Integer> copied = peers(session.wiring()::copiesByDevice);
    return new Reach(
        copied, copied, true, true, session.equipment().reductions().deviceFromBytes());
  }

  private ImmutableSet<Integer> peers(IntPredicate reached) {
    return IntStream.range(0, members.size())
        .filter(peer -> peer != members.self())
        .filter(peer -> reached.test(members.jobRank(peer)))
        .boxed()
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Bytes copied between this rank's device and the stages of this group's messages. */
  long stagedBytes() {
    return executor.stagedBytes() + messenger.stagedBytes();
  }

  /** Bytes that this rank's device copied between its memory and slots. */
  long engineBytes() {
    return data.stream().mapToLong(Channel::engineBytes).sum();
  }

  /** Bytes that NICs took from, or put into, this group's messages themselves. */
  long directBytes() {
    return data.stream().mapToLong(Channel::directBytes).sum();
  }

  /** Whether calls or messages are under way. Thread-safe. */
  boolean isBusy() {
    return executor.hasCalls() || messenger.isBusy();
  }

  /** From now on calls are refused; false if they were already. */
  boolean shut() {
    return closed.compareAndSet(false, true);
  }

  boolean isShut() {
    return closed.get();
  }

  /**
   * Leaving is collective: nobody's last message may find its reader gone. After a failure nobody
   * waits. Whether all have left together.
   */
  boolean leave() {
    failureState.awaitTold();
    executor.awaitVotes();
    if (!failureState.hasFailed() && !isBusy()) {
      try {
        keys.agreeLeave(session.environment().deadline());
        return true;
      } catch (TomboloException e) {
        LOG.warn("rank {} leaves alone: {}", members.self(), e.getMessage());
      }
    }
    return false;
  }

  /** Removes this rank's keys. */
  void clear() {
    clear(failureState.hasFailed());
  }

  private void clear(boolean failed) {
    session.groupFailures().silence(id);
    keys.clear(failed);
  }

  /** This rank's keys in the group's place in the store. */
  GroupKeys keys() {
    return keys;
  }

  /** Takes nothing forward any more; on the agent's thread, or after its end. */
  void stop() {
    session.agent().remove(executor);
    session.agent().remove(messenger);
    messenger.stop();
    executor.stop();
  }

  /**
   * Gives back what the group held, once it has {@linkplain #stop stopped}. That may wait for all
   * work of the device, of other groups too, which the agent takes forward: so not on its thread.
   */
  void close() {
    messenger.close();
    executor.close();
    flight.ifPresent(FlightFile::close);
  }
}
